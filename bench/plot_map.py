#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws what `tridia bench map` has measured, as its option --plot does.

    plot_map.py FILE.png             reads the results from standard input
    plot_map.py FILE.png FILE.json   reads them from a file
    plot_map.py --check              says whether it could draw

A panel for each type; a line for each feature, a column for each shape, and in each cell the time over
its floor. A cell that was not run but estimated has a "~". It needs matplotlib; where that is missing it
says so, and exits with 2.
"""

import json
import sys

SIZES = ("2^10", "2^12", "2^14", "2^20", "2^24", "2^26", "2^27", "odd extents")
LAYOUTS = ("contiguous", "interleaved", "middle")
LAYOUT_NAMES = {"contiguous": "last axis", "interleaved": "first axis", "middle": "middle axis"}
COLOURS = ("#1a9850", "#d9ef8b", "#fee08b", "#f46d43", "#a50026", "#40004b")
BOUNDS = (0.1, 1.5, 3, 10, 100, 1000, 1e9)
NAMES = ("to 1.5", "to 3", "to 10", "to 100", "to 1000", "beyond")
NOTHING = "#f4f4f4"


def load_matplotlib():
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ModuleNotFoundError:  # Other ImportErrors are of libraries that find no memory.
        print("matplotlib, which draws the plot, is missing: install python3-matplotlib",
              file=sys.stderr)
        sys.exit(2)
    return pyplot


def cells(results):
    """The rows that are cells of the map, whether they were run or not."""
    return [r for r in results["rows"] if r.get("shape")]


def feature(row):
    """The name of a row's feature, with what varies."""
    return (row["case"] + (", periodic" if row["boundary"] == "periodic" else "")
            + (", transposed" if row["operation"] == "transpose" else ""))


def features(rows):
    """All of them, those that vary after the others."""
    names = list(dict.fromkeys(feature(r) for r in rows))
    return sorted(names, key=lambda name: ("periodic" in name) + 2 * ("transposed" in name))


def column(row):
    return row["size"], row["layout"], row["shape"]


def columns(rows):
    """All shapes: by size, layout, and the length of the lines of one right-hand side."""
    lengths = {}
    for r in rows:
        at = lengths.setdefault(column(r), (r["right_hand_sides"], r["n"]))
        lengths[column(r)] = min(at, (r["right_hand_sides"], r["n"]))
    return sorted(lengths, key=lambda c: (SIZES.index(c[0]), LAYOUTS.index(c[1]), lengths[c][1]))


def text(times, estimated):
    form = f"{times:.1f}" if times < 9.95 else f"{times:.0f}" if times < 9999.5 else f"{times:.0e}"
    return ("~" if estimated else "") + form.replace("e+0", "e")


def draw_panel(axes, rows, across, title):
    from matplotlib.colors import BoundaryNorm, ListedColormap

    down = features(rows)
    table = [[float("nan")] * len(across) for _ in down]
    for r in rows:
        if r["times_floor"] is not None:
            table[down.index(feature(r))][across.index(column(r))] = r["times_floor"]
    colours = ListedColormap(COLOURS)
    colours.set_bad(NOTHING)
    axes.pcolormesh(table, cmap=colours, norm=BoundaryNorm(BOUNDS, len(COLOURS)),
                    edgecolors="white", linewidth=0.6)
    for r in rows:
        if r["times_floor"] is None:
            continue
        axes.text(across.index(column(r)) + 0.5, down.index(feature(r)) + 0.5,
                  text(r["times_floor"], r["estimate"] is not None), ha="center", va="center",
                  fontsize=5, color="white" if r["times_floor"] > 10 else "black")
    axes.set_ylim(len(down), 0)
    axes.set_yticks([k + 0.5 for k in range(len(down))], down, fontsize=7)
    axes.set_xticks([k + 0.5 for k in range(len(across))], [c[2] for c in across], rotation=90,
                    fontsize=6.5)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    for k, (size, layout, _) in enumerate(across):
        if k > 0 and across[k - 1][:2] == (size, layout):
            continue
        width = sum(c[:2] == (size, layout) for c in across)
        axes.axvline(k, color="black", linewidth=0.8)
        words = size, LAYOUT_NAMES[layout]
        name = "\n".join(words if width > 2 else [w.split()[0] for w in words])
        axes.text(k + width / 2, -0.2, name, ha="center", va="bottom", fontsize=6.5)
    axes.set_title(title, fontsize=10, loc="left", pad=24)


def draw(results, path):
    pyplot = load_matplotlib()
    from matplotlib.patches import Patch

    rows = cells(results)
    kinds = list(dict.fromkeys(r["type"] for r in rows))
    shapes = {kind: columns([r for r in rows if r["type"] == kind]) for kind in kinds}
    heights = [len(features([r for r in rows if r["type"] == kind])) for kind in kinds]
    figure, panels = pyplot.subplots(
        len(kinds), 1, squeeze=False, layout="constrained", height_ratios=[h + 8 for h in heights],
        figsize=(max(12, 4 + 0.24 * max(map(len, shapes.values()))),
                 1 + sum(0.16 * h + 1.5 for h in heights)))
    for axes, kind in zip(panels[:, 0], kinds):
        draw_panel(axes, [r for r in rows if r["type"] == kind], shapes[kind], kind)
    entries = [Patch(color=c, label=n) for c, n in zip(COLOURS, NAMES)]
    figure.legend(handles=entries, fontsize=7, frameon=False, ncols=len(entries), loc="upper right")
    figure.suptitle(f"{results['machine']['device']}: time over the floor of each cell", fontsize=11,
                    x=0.01, ha="left")
    figure.savefig(path, format="png", dpi=110, metadata={"Software": None})
    pyplot.close(figure)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    if sys.argv[1] == "--check":
        load_matplotlib()
        return
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            results = json.load(file)
    else:
        results = json.load(sys.stdin)
    draw(results, sys.argv[1])


if __name__ == "__main__":
    main()
