# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws the site's pictures: which rows, threads and ranks talk to whom, in each method.

    pictures.py FOLDER    # NAME-light.svg and NAME-dark.svg of each

The arrows follow from the methods' own index arithmetic (`cr_stages`, `pcr_stages`). Time goes down.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon  # noqa: E402

THEMES = {
    "light": {"ink": "#2b2f36", "faint": "#7a838d", "box": "#e4edf8", "edge": "#8fb3df",
              "colours": ["#1f5fb4", "#d9730d", "#2e8b57", "#8a4fbf"]},
    "dark": {"ink": "#d7dbe0", "faint": "#98a2ad", "box": "#22344a", "edge": "#5c86b8",
             "colours": ["#6aa5f0", "#f0a055", "#62c48d", "#bd92e8"]},
}
SIZE = 0.62  # of a row's box, where rows are 1 apart


class Canvas:
    """Draws rows, arrows and words on a plane whose y axis is time, downwards."""

    def __init__(self, width, height, theme):
        self.theme = theme
        self.figure, self.axes = plt.subplots(figsize=(width * 0.42, height * 0.42))
        self.axes.set(xlim=(-0.8, width - 0.8), ylim=(height - 0.6, -0.8), aspect="equal")
        self.axes.axis("off")

    def colour(self, k):
        return self.theme["colours"][k % 4]

    def row(self, x, y, colour=None, label=None):
        """Draws a row: filled with a colour where it takes part, faint where it waits."""
        self.axes.add_patch(FancyBboxPatch(
            (x - SIZE / 2, y - SIZE / 2), SIZE, SIZE, boxstyle="round,pad=0,rounding_size=0.12",
            facecolor=colour or self.theme["box"], edgecolor=colour or self.theme["edge"], linewidth=0.8))
        if label is not None:
            self.text(x, y, label, colour="white" if colour else self.theme["ink"], ha="center", size=7)

    def frame(self, left, right, top, bottom, colour=None):
        """Draws a frame around what one thread, block or rank holds."""
        self.axes.add_patch(FancyBboxPatch(
            (left - 0.45, top - 0.45), right - left + 0.9, bottom - top + 0.9, facecolor="none",
            boxstyle="round,pad=0,rounding_size=0.2", edgecolor=colour or self.theme["faint"],
            linewidth=1.1, linestyle=(0, (4, 2))))

    def arrow(self, start, end, colour=None, bend=0.0, width=0.9):
        self.axes.add_patch(FancyArrowPatch(
            start, end, arrowstyle="-|>,head_width=1.7,head_length=3.2", mutation_scale=1.0,
            connectionstyle=f"arc3,rad={bend}", shrinkA=4.5, shrinkB=5.5,
            color=colour or self.theme["ink"], linewidth=width, alpha=0.9))

    def text(self, x, y, words, colour=None, size=8.5, ha="left", weight="normal"):
        self.axes.text(x, y, words, color=colour or self.theme["ink"], fontsize=size, ha=ha, va="center",
                       weight=weight)

    def save(self, path):
        self.figure.savefig(path, transparent=True, bbox_inches="tight", pad_inches=0.04,
                            metadata={"Date": None})
        plt.close(self.figure)


def cr_stages(n, stop=1):
    """Returns the stages of cyclic reduction of n = 2^k - 1 rows, numbered from 1, until `stop` are
    left: for each the rows that are reduced, and the distance of those that they are reduced by."""
    stages, distance = [], 1
    rows = list(range(1, n + 1))
    while len(rows) > stop:
        rows = rows[1::2]
        stages.append((rows, distance))
        distance *= 2
    return stages


def pcr_stages(rows, systems=None):
    """Returns the stages of parallel cyclic reduction: in each, every row is reduced by those at a
    distance that doubles, until there are as many systems as rows, or `systems`."""
    stages, distance = [], 1
    while distance < (systems or rows):
        stages.append(distance)
        distance *= 2
    return stages


def draw_cr(c, n, y, stop=1):
    """Draws the forward reduction from time y, and returns the time at its end."""
    for x in range(1, n + 1):
        c.row(x, y, c.colour(0))
    for rows, distance in cr_stages(n, stop):
        for x in range(1, n + 1):
            c.row(x, y + 2, c.colour(0) if x in rows else None)
        for x in rows:
            for neighbour in (x - distance, x, x + distance):
                if 1 <= neighbour <= n:
                    c.arrow((neighbour, y), (x, y + 2))
        y += 2
    return y


def draw_cr_back(c, n, y, stop=1):
    """Draws the back-substitution: each row is found from x at the distance of its stage."""
    known = set(cr_stages(n, stop)[-1][0])
    for rows, distance in reversed(cr_stages(n, stop)):
        found = {x for x in range(distance, n + 1, distance)} - known
        for x in range(1, n + 1):
            c.row(x, y + 2, c.colour(2) if x in known | found else None)
        for x in found:
            for neighbour in (x - distance, x + distance):
                if neighbour in known:
                    c.arrow((neighbour, y), (x, y + 2), c.colour(2))
        known |= found
        y += 2
    return y


def thomas(theme):
    n = 6
    c = Canvas(n + 7, 2 * n + 1.6, theme)
    for i in range(n):
        for x in range(n):
            c.row(x, i, c.colour(0) if x == i else None)
            c.row(x, 2 * n - 1 - i + 0.6, c.colour(2) if x == i else None)
        if i:
            c.arrow((i - 1, i - 1), (i, i))
            c.arrow((i, 2 * n - 1 - i + 0.6), (i - 1, 2 * n - i + 0.6), c.colour(2))
    c.text(n, 2.5, "forward sweep:\nrow i is eliminated\nby the row before it")
    c.text(n, 9, "backward sweep:\nx[i] from x[i+1]", c.colour(2))
    return c


def cr(theme):
    n = 15
    c = Canvas(n + 7.4, 13.4, theme)
    y = draw_cr(c, n, 0)
    end = draw_cr_back(c, n, y)
    c.text(n + 1, 2.6, "forward reduction:\nhalf of the rows\nare left after each step")
    c.text(n + 1, (y + end) / 2 + 0.6, "back-substitution:\ntwice as many x\nafter each step", c.colour(2))
    return c


def pcr(theme):
    n = 8
    c = Canvas(n + 7.6, 7.4, theme)
    y = 0
    for x in range(n):
        c.row(x, y, c.colour(0))
    for distance in pcr_stages(n):
        for x in range(n):
            # After the step, rows at twice the distance are a system of their own.
            c.row(x, y + 2, c.colour(x % (2 * distance)) if 2 * distance <= 4 else c.colour(2))
            for neighbour in (x - distance, x, x + distance):
                if 0 <= neighbour < n:
                    c.arrow((neighbour, y), (x, y + 2), width=0.7)
        c.text(n, y + 1, f"by the rows {distance} away" if distance > 1 else "by its neighbours")
        c.text(n, y + 2, f"{2 * distance} systems" if 2 * distance < n else "each row has its x", theme["faint"])
        y += 2
    return c


def cr_pcr(theme):
    n = 15
    c = Canvas(n + 7.4, 13.4, theme)
    y = draw_cr(c, n, 0, stop=3)
    c.text(n + 1, y / 2, "CR, until the switch point:\n3 rows are left here")
    rows = cr_stages(n, 3)[-1][0]
    step = rows[0]
    for distance in pcr_stages(len(rows)):
        for x in range(1, n + 1):
            c.row(x, y + 2, c.colour(1) if x in rows else None)
        for x in rows:
            for neighbour in (x - step * distance, x, x + step * distance):
                if neighbour in rows:
                    c.arrow((neighbour, y), (x, y + 2), c.colour(1))
        y += 2
    c.text(n + 1, y - 2, "PCR of those:\nno thread idles", c.colour(1))
    end = draw_cr_back(c, n, y, stop=3)
    c.text(n + 1, (y + end) / 2 + 0.6, "back-substitution", c.colour(2))
    return c


def pcr_thomas(theme):
    n, systems = 16, 4
    c = Canvas(n + 7.2, 10.8, theme)
    y = 0
    for x in range(n):
        c.row(x, y, c.colour(0))
    for distance in pcr_stages(n, systems):
        for x in range(n):
            c.row(x, y + 2, c.colour(x % (2 * distance)))
            for neighbour in (x - distance, x, x + distance):
                if 0 <= neighbour < n:
                    c.arrow((neighbour, y), (x, y + 2), width=0.6)
        y += 2
    c.text(n, 2, "PCR, until as many systems\nas there are threads")
    for s in range(systems):
        for k in range(n // systems):
            x = s + k * systems
            c.row(x, y + 1.6 + s, c.colour(s))
            if k:
                c.arrow((x - systems, y + 1.6 + s), (x, y + 1.6 + s), c.colour(s))
    c.text(n, y + 3, "Thomas: a thread\nsolves each of them")
    return c


def packed_cr(theme):
    depth, threads = 4, 4
    n = depth * threads
    c = Canvas(n + 7.2, 10.4, theme)
    for t in range(threads):
        left = t * depth
        c.frame(left, left + depth - 1, 0, 2.6, c.colour(t))
        for k in range(depth):
            c.row(left + k, 0, c.colour(t))
            c.row(left + k, 2.6, c.colour(t) if k == depth - 1 else None)
            if k < depth - 1:
                c.arrow((left + k, 0), (left + depth - 1, 2.6), c.colour(t))
        c.arrow((left + depth - 1, 0), (left + depth - 1, 2.6), c.colour(t))
    c.text(n, 1.3, "a thread reduces\nthe rows in its registers")
    last = [t * depth + depth - 1 for t in range(threads)]
    for x in last:
        c.row(x, 5.2, c.colour(1))
        for neighbour in (x - depth, x, x + depth):
            if neighbour in last:
                c.arrow((neighbour, 2.6), (x, 5.2))
    c.text(n, 4, "CR of one row a thread,\nin shared memory")
    for t in range(threads):
        left = t * depth
        for k in range(depth):
            c.row(left + k, 7.8, c.colour(2))
            c.arrow((left + depth - 1, 5.2), (left + k, 7.8), c.colour(2), width=0.7)
        if t:
            c.arrow((left - 1, 5.2), (left, 7.8), c.colour(2), width=0.7)
    c.text(n, 6.6, "a thread expands\nits rows again", c.colour(2))
    return c


def partition(theme):
    rows, chunks = 5, 4
    n = rows * chunks
    c = Canvas(n + 7.4, 9.6, theme)
    ends = []
    for k in range(chunks):
        left = k * rows
        pair = (left, left + rows - 1)
        ends += pair
        c.frame(*pair, 0, 2.4, c.colour(k))
        for x in range(left, left + rows):
            c.row(x, 0, c.colour(k))
            c.row(x, 2.4, c.colour(k) if x in pair else None)
            for end in pair:
                if x != end:
                    c.arrow((x, 0), (end, 2.4), c.colour(k), width=0.6)
    c.text(n, 1.2, "reduce: a thread (or rank)\nleaves two equations\nof its chunk of rows")
    for k, x in enumerate(ends):
        c.row(x, 4.8, c.colour(1))
        for neighbour in ends[max(0, k - 1):k + 2]:
            c.arrow((neighbour, 2.4), (x, 4.8))
    c.text(n, 3.9, "interface: a small system,\nby PCR, messages,\nor the same three steps")
    for k in range(chunks):
        left = k * rows
        pair = (left, left + rows - 1)
        for x in range(left, left + rows):
            c.row(x, 7.2, c.colour(2))
            for end in pair:
                c.arrow((end, 4.8), (x, 7.2), c.colour(2), width=0.6)
    c.text(n, 6.2, "expand: each chunk\nfinds its other x", c.colour(2))
    return c


def scan(theme):
    rows, chunks = 4, 4
    n = rows * chunks
    c = Canvas(n + 7.6, 9.8, theme)
    last = [k * rows + rows - 1 for k in range(chunks)]
    for k in range(chunks):
        c.frame(k * rows, k * rows + rows - 1, 0, 0, c.colour(k))
        for x in range(k * rows, k * rows + rows):
            c.row(x, 0, c.colour(k))
            if x not in last:
                c.arrow((x, 0), (x + 1, 0), c.colour(k))
    c.text(n, 0, "a recurrence in each chunk")
    y = 0
    for distance in pcr_stages(chunks):
        for k, x in enumerate(last):
            c.row(x, y + 2.2, c.colour(1))
            c.arrow((x, y), (x, y + 2.2))
            if k >= distance:
                c.arrow((last[k - distance], y), (x, y + 2.2))
        y += 2.2
    c.text(n, 2.6, "last values of chunks: a scan.\nTheir weights are known\nwith the plan")
    for k in range(chunks):
        for x in range(k * rows, k * rows + rows):
            c.row(x, y + 2.2, c.colour(2))
            if k:
                c.arrow((last[k - 1], y), (x, y + 2.2), c.colour(2), width=0.6)
    c.text(n, y + 1.5, "added to the rows of the next\nchunk; then the other sweep", c.colour(2))
    return c


def ranks_of(c, top, height, x):
    for k in range(4):
        c.frame(x + 2 * k, x + 2 * k, top, top + height, c.colour(k))
        c.row(x + 2 * k, top, c.colour(k), str(k))


def strategies(theme):
    c = Canvas(29, 9.6, theme)

    def part(x, y, name, words, pairs, after):
        c.text(x - 0.5, y - 1.1, name, weight="bold")
        c.text(x - 0.5, y + 3.0, words, theme["faint"], size=7.5)
        for k in range(4):
            c.row(x + 2 * k, y, c.colour(k), str(k))
            c.row(x + 2 * k, y + 2, c.colour(k) if k in after else None, str(k))
        for a, b in pairs:
            c.arrow((x + 2 * a, y), (x + 2 * b, y + 2), c.colour(a))

    everyone = [(a, b) for a in range(4) for b in range(4) if a != b]
    part(0, 1, "gather", "rank 0 solves all, and sends x back", [(a, 0) for a in range(1, 4)], [0])
    part(10, 1, "allgather", "everyone has all, and solves all", everyone, range(4))
    part(20, 1, "all_to_all", "each solves its share of the lines", everyone, range(4))
    part(0, 6, "pcr, step 1", "neighbours join", [(0, 1), (1, 0), (2, 3), (3, 2)], range(4))
    part(10, 6, "pcr, step 2", "pairs join; then each goes on alone", [(0, 2), (1, 3), (2, 0), (3, 1)], range(4))
    part(20, 6, "nearest", "what lies farther away is neglected",
         [(a, b) for a in range(4) for b in range(4) if abs(a - b) == 1], range(4))
    return c


def sums(theme):
    """Draws how a compact operator crosses ranks: sums of points near a border travel."""
    points, ranks = 6, 3
    n = points * ranks
    c = Canvas(n + 7.6, 6.4, theme)
    for k in range(ranks):
        left = k * points
        c.frame(left, left + points - 1, 0, 4.4, c.colour(k))
        for x in range(left, left + points):
            c.row(x, 0, c.colour(k))
            c.row(x, 4.4, c.colour(2))
    for border in range(points, n, points):
        for k in range(3):
            c.arrow((border - 1 - k, 0), (border, 4.4), width=1.2 - 0.35 * k)
            c.arrow((border + k, 0), (border - 1, 4.4), width=1.2 - 0.35 * k)
    c.text(n, 0, "the field's points, by rank")
    c.text(n, 2.2, "weighted sums of the points\nnear a border: weights decay,\nand one round of messages")
    c.text(n, 4.4, "each rank solves its own rows", c.colour(2))
    return c


def start(theme):
    """Draws the start page's picture: lines along an axis of a field, and what each of them is."""
    c = Canvas(25, 9.2, theme)
    depth, x0, y0, a = 4, 0.4, 2.6, 5.4
    slope = (0.55, -0.5)
    front = [(x0, y0), (x0 + a, y0), (x0 + a, y0 + a), (x0, y0 + a)]
    back = [(x + depth * slope[0], y + depth * slope[1]) for x, y in front]
    for face in (front, [front[0], back[0], back[1], front[1]], [front[1], back[1], back[2], front[2]]):
        c.axes.add_patch(Polygon(face, facecolor=theme["box"], edgecolor=theme["edge"], linewidth=1.2))
    for k in range(7):
        x = x0 + 0.45 + k * 0.75
        chosen = k == 3
        c.axes.plot([x, x], [y0 + 0.25, y0 + a - 0.25], color=c.colour(1) if chosen else c.colour(0),
                    linewidth=3 if chosen else 1.6, solid_capstyle="round")
        c.axes.plot([x, x + depth * slope[0] * 0.9], [y0 - 0.05, y0 + depth * slope[1] * 0.9 - 0.05],
                    color=theme["edge"], linewidth=0.7)
    c.text(x0 + a / 2 + 1, y0 + a + 0.7, "a field, and lines along one of its axes", ha="center")
    c.arrow((x0 + a + 2.6, y0 + 1.6), (x0 + a + 4.6, y0 + 1.6), c.colour(1), width=2)
    left, top, n = 11.4, 0.8, 8
    for i in range(n):
        for j in range(n):
            k = {-1: 0, 0: 1, 1: 2}.get(j - i)
            c.row(left + j * 0.82, top + i * 0.82, None if k is None else c.colour((0, 1, 2)[k]))
        c.row(left + n * 0.82 + 0.7, top + i * 0.82, c.colour(3))
        c.row(left + n * 0.82 + 3.0, top + i * 0.82)
    c.text(left + n * 0.82 + 1.85, top + 3.5 * 0.82, "=", ha="center", size=14)
    words_y = top + n * 0.82 + 0.35
    for x, word, colour in ((left + 1.2, "dl", 0), (left + 2.9, "d", 1), (left + 4.4, "du", 2),
                            (left + n * 0.82 + 0.7, "x", 3)):
        c.text(x, words_y, word, c.colour(colour), ha="center", weight="bold")
    c.text(left + n * 0.82 + 3.0, words_y, "rhs", ha="center", weight="bold")
    return c


PICTURES = (start, thomas, cr, pcr, cr_pcr, pcr_thomas, packed_cr, partition, scan, strategies, sums)


def draw_all(folder):
    """Draws every picture for both themes."""
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tridia",
                         "font.family": "sans-serif"}):
        for picture in PICTURES:
            for name, theme in THEMES.items():
                picture(theme).save(Path(folder) / f"{picture.__name__}-{name}.svg")


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    draw_all(sys.argv[1])
