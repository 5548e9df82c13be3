# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Shows derivatives of fields that are spread over ranks: scaling, steps, GPUs against cores."""

import math
import re

from measurements import COLOURS, INK, ms, select, table

# This is table 4.2 of the thesis: milliseconds of a derivative in the fastest direction, n^3
# points, on these numbers of cores (a reference by LU across ranks) and GPUs (K20; of 2048^3 K40 as
# well). Its figures 4.5 to 4.10 are drawn, and print no numbers.
TABLE_4_2 = {256: ({8: 79.5, 64: 20.8, 512: 11.1}, {1: 19.9, 8: 5.17, 64: 2.79}),
             512: ({8: 556.8, 64: 146.5, 512: 29.2}, {1: 164.5, 8: 23.24, 64: 5.62}),
             1024: ({8: 5188, 64: 1092, 512: 223.7}, {8: 174.9, 64: 24.49}),
             2048: ({512: 1741}, {64: 297.07})}
CORES_A_GPU = 8
THESIS_SCHEME = "C4"  # closed by 3-4-3, its default closure
DIRECTIONS = ("z", "y", "x, the fastest")
PHASES = ("reduce", "interface", "expand")
# These are the steps of figures 4.5 and 4.6, but for the permutation, which is not done here.
STEPS = ("halo", "right-hand sides", "primary", "faces", "reduced", "sum")
THESIS_METHOD = "gather"  # the strategy that does what the thesis does
HOW_MANY = ("none", "one", "two", "three")


def place(row):
    """Returns the axis of a row's lines, and the ranks along each axis."""
    axis, ranks = re.fullmatch(r"axis (\d+), ranks \((.*)\)", row["layout"]).groups()
    return int(axis), tuple(int(r) for r in ranks.split(", "))


def ranks_of(row):
    return math.prod(place(row)[1])


def directions_split(row):
    return sum(r > 1 for r in place(row)[1])


def points_of(row):
    """Returns the points along an axis of a cube: those of each rank for weak scaling, or else of
    all."""
    axis, ranks = place(row)
    return row["n"] // ranks[axis] if row["case"].startswith("weak") else row["n"]


def scheme_of(rows):
    """Returns the name of the scheme that was measured."""
    return next(m[1] for m in (re.fullmatch(r"\w+, (\S+) derivative", r["case"]) for r in rows) if m)


def scaling_rows(rows, kind, axis=None, step=None, solver=None):
    """Returns the rows of derivatives: whole ones, or one of their steps."""
    case = f"{kind}, {scheme_of(rows)} derivative" + (f", {step}" if step else "")
    return [r for r in select(rows, case=case) if (axis is None or place(r)[0] == axis)
            and (solver is None or is_by(r, solver))]


def is_by(row, solver):
    """Returns whether a row is of this solver; one rank solves lines alone, whatever the method."""
    return row["solver"] == solver or (ranks_of(row) == 1
                                       and solver == f"{row['solver']} {THESIS_METHOD}")


def main_solver(rows):
    """Returns the solver to show: GPUs, if they were measured."""
    solvers = {r["solver"] for r in rows}
    return "tridia nccl" if "tridia nccl" in solvers else "tridia mpi"


def solvers(rows):
    """Returns the solvers to show: the library's choice and, where it was measured, the thesis's own
    method."""
    solver = main_solver(rows)
    thesis = f"{solver} {THESIS_METHOD}"
    return [solver] + [thesis] * any(r["solver"] == thesis for r in rows)


def method(solver):
    """Returns the strategy of a solver."""
    return THESIS_METHOD if solver.endswith(f" {THESIS_METHOD}") else "automatic"


def alone(found, row):
    """Returns the time of one rank for the same problem (strong), or for its part of it (weak)."""
    one = [r["ms"] for r in found if ranks_of(r) == 1 and points_of(r) == points_of(row)]
    return one[0] if one else None


def gain(found, row):
    """Returns the speed-up (strong) or the efficiency (weak) against one rank."""
    one = alone(found, row)
    return one / row["ms"] if one else None


def show(rows):
    solver = main_solver(rows)
    what = "GPUs" if solver == "tridia nccl" else "CPU ranks, which take turns where cores are fewer"
    print(f"{scheme_of(rows)} first derivatives, f64, on {what}. The thesis (C4, K20 and K40, InfiniBand, "
          "2015) draws its figures 4.5 to 4.10 and prints no numbers of them.\n")
    for kind, figures, told in (("strong", "4.7 and 4.8", "speed-up"),
                                ("weak", "4.9 and 4.10", "efficiency")):
        for n in figure_sizes(rows, solver, kind):
            whose = "in all" if kind == "strong" else "a rank"
            for by in solvers(rows):
                print(f"figures {figures}: {kind} scaling, {n}^3 points {whose}, by {method(by)}: "
                      f"milliseconds ({told})")
                show_scaling(rows, by, kind, n)
    show_steps(rows)
    show_table_4_2(rows)


def figure_sizes(rows, solver, kind):
    """Returns the two sizes in the figures of a kind; larger ones are for steps and the table."""
    return sorted({points_of(r) for r in scaling_rows(rows, kind, solver=solver)})[:2]


def show_scaling(rows, solver, kind, n):
    by_axis = [scaling_rows(rows, kind, axis, solver=solver) for axis in range(3)]
    groups = sorted({(ranks_of(r), directions_split(r)) for r in by_axis[0] if points_of(r) == n})
    lines = []
    for ranks, split in groups:
        cells = []
        for found in by_axis:
            same = [r for r in found if points_of(r) == n and ranks_of(r) == ranks
                    and directions_split(r) == split]
            of_one = gain(found, same[0]) if same else None
            cells.append(ms(same[0]) + (f" ({of_one:.2f})" if of_one else "") if same else "-")
        lines.append((ranks, HOW_MANY[split], *cells))
    table(("ranks", "directions split", *DIRECTIONS), lines)


def most_ranks(rows, solver):
    return max(ranks_of(r) for r in scaling_rows(rows, "strong", solver=solver))


def steps_of(rows, row, steps=PHASES):
    """Returns the milliseconds of each step of a whole derivative."""
    return [next((r["ms"] for r in rows if r["case"] == f"{row['case']}, {step}"
                  and all(r[k] == row[k] for k in ("solver", "n", "batch", "layout"))), 0)
            for step in steps]


def steps_in(rows):
    """Returns the steps that were measured: the thesis's, or of older results the library's."""
    return STEPS if any(r["case"].endswith(f", {STEPS[0]}") for r in rows) else PHASES


def stepped(rows, solver):
    """Returns the whole derivatives of the largest grids (figures 4.5, 4.6), on all ranks, split in
    as many directions as possible."""
    found = [r for r in scaling_rows(rows, "strong", solver=solver)
             if ranks_of(r) == most_ranks(rows, solver)]
    sizes = sorted({points_of(r) for r in found})[-2:]
    chosen = []
    for n in sizes:
        for axis in (2, 1, 0):
            same = [r for r in found if points_of(r) == n and place(r)[0] == axis]
            if same:
                chosen.append(max(same, key=directions_split))
    return chosen


def show_steps(rows):
    steps = steps_in(rows)
    what = ("the thesis's on rank 0, which gathers, but for the permutation, which is not done here; "
            "automatic has sums instead of a halo, and right-hand sides, solve and sum in one (primary)"
            if steps is STEPS else
            "sums that other ranks need (for the thesis's halo swap and reduced system), their messages, "
            "and right-hand side, solve and sum in one (expand)")
    print(f"figures 4.5 and 4.6: steps of a derivative on {most_ranks(rows, main_solver(rows))} ranks, ms: "
          f"{what}")
    table(("points", "direction", "ranks", *["method"] * (steps is STEPS), *steps, "whole"),
          [(f"{r['n']}^3", DIRECTIONS[place(r)[0]], str(place(r)[1]),
            *[method(r["solver"])] * (steps is STEPS),
            *(f"{t:.4f}" for t in steps_of(rows, r, steps)), ms(r))
           for by in solvers(rows) for r in stepped(rows, by)])


def table_rows(rows, solver):
    """Returns milliseconds along the fastest direction, by points and ranks, for the most even
    split."""
    best = {}
    for r in scaling_rows(rows, "strong", axis=2, solver=solver):
        key = (points_of(r), ranks_of(r))
        if key not in best or directions_split(r) > directions_split(best[key]):
            best[key] = r
    return {key: r["ms"] for key, r in best.items()}


def table_4_2(rows):
    """Returns the head and the lines of table 4.2, in brackets the thesis's times."""
    cores, gpus = table_rows(rows, "tridia mpi"), table_rows(rows, "tridia nccl")
    columns = []
    for unit, ours, thesis in (("CPU ranks", cores, 0), ("GPUs", gpus, 1)):
        counts = {p for _, p in ours} | {p for t in TABLE_4_2.values() for p in t[thesis]}
        columns += [(f"{unit}: {p}", ours, p, thesis) for p in sorted(counts)]
    lines = []
    for n in sorted({n for n, _ in [*cores, *gpus]}):
        paper = TABLE_4_2.get(n, ({}, {}))
        lines.append([f"{n}^3", *((f"{ours[n, p]:.4g}" if (n, p) in ours else "-")
                                  + (f" [{paper[t][p]}]" if p in paper[t] else "")
                                  for _, ours, p, t in columns)])
    return ["points", *(name for name, *_ in columns)], lines


def cores_beside(rows):
    """Returns pairs of GPUs and of the cores that stand beside them: eight for each, as in the
    thesis, or all that there are."""
    cores, gpus = table_rows(rows, "tridia mpi"), table_rows(rows, "tridia nccl")
    most, measured = max(p for _, p in cores), {p for _, p in gpus}
    return [(g, min(CORES_A_GPU * g, most) if g in measured else CORES_A_GPU * g)
            for g in sorted(measured | {8, 64})]


def gpu_gains(rows):
    """Returns how many times as fast as the cores beside them GPUs are, by points and GPUs."""
    cores, gpus = table_rows(rows, "tridia mpi"), table_rows(rows, "tridia nccl")
    return {(n, g): cores[n, c] / gpus[n, g] for g, c in cores_beside(rows)
            for n in sorted({n for n, _ in gpus}) if (n, g) in gpus and (n, c) in cores}


def figure_4_11(rows):
    """Returns the head and the lines of figure 4.11: the speed-up of GPUs over cores."""
    pairs, gains = cores_beside(rows), gpu_gains(rows)
    lines = []
    for n in sorted({n for n, _ in table_rows(rows, "tridia nccl")}):
        paper = TABLE_4_2.get(n, ({}, {}))
        cells = []
        for g, _ in pairs:
            then = paper[0].get(CORES_A_GPU * g), paper[1].get(g)
            cells.append((f"{gains[n, g]:.1f}" if (n, g) in gains else "-")
                         + (f" [{then[0] / then[1]:.1f}]" if all(then) else ""))
        lines.append([f"{n}^3", *cells])
    return ["points", *(f"GPUs: {g}, cores: {c}" for g, c in pairs)], lines


def show_table_4_2(rows):
    print("table 4.2: milliseconds of a derivative in the fastest direction; in brackets the thesis's")
    table(*table_4_2(rows))
    if table_rows(rows, "tridia mpi") and table_rows(rows, "tridia nccl"):
        print("figure 4.11: times as fast as the cores; in brackets the thesis's, over eight cores a GPU")
        table(*figure_4_11(rows))


def draw(rows, figure):
    from matplotlib import ticker
    solver, *thesis = solvers(rows)
    figure.set_size_inches(10 + 3.3 * len(thesis), 4.4)
    panels = figure.subplots(1, 3 + len(thesis))
    for panel, kind, told in ((panels[0], "strong", "speed-up, strong"),
                              (panels[1], "weak", "efficiency, weak")):
        for style, n in zip(("-o", "--s", ":^"), figure_sizes(rows, solver, kind)):
            for colour, axis in zip(COLOURS, range(3)):
                found = scaling_rows(rows, kind, axis, solver=solver)
                draw_gain(panel, found, n, style, colour,
                          f"{n}^3{' a rank' if kind == 'weak' else ''}, {DIRECTIONS[axis][0]}")
                for by in thesis:
                    draw_gain(panel, scaling_rows(rows, kind, axis, solver=by), n, style, colour, None,
                              alpha=0.35)
        panel.set_xscale("log", base=2)
        panel.set(xlabel="GPUs" if solver == "tridia nccl" else "CPU ranks",
                  title=told + (f" (pale: {THESIS_METHOD})" if thesis else ""))
        panel.xaxis.set_major_formatter(ticker.FormatStrFormatter("%d"))
        panel.legend(fontsize=7)
    panels[0].set_yscale("log", base=2)
    panels[0].yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    panels[1].axhline(1, color=INK, linewidth=0.8)
    panels[1].set_ylim(bottom=0)
    for panel, by in zip(panels[2:], reversed(solvers(rows))):
        draw_steps(panel, rows, by)


def draw_gain(panel, found, n, style, colour, label, alpha=1.0):
    """Draws one point for every split; the line joins the best of them."""
    points = [(ranks_of(r), gain(found, r)) for r in found if points_of(r) == n]
    points = [p for p in points if p[1]]
    best = {p: max(g for q, g in points if q == p) for p, _ in points}
    if points:
        panel.plot(*zip(*points), style[-1], color=colour, markersize=3, alpha=alpha)
        panel.plot(*zip(*sorted(best.items())), style[:-1], color=colour, label=label, alpha=alpha)


def draw_steps(panel, rows, solver):
    chosen, steps = stepped(rows, solver), steps_in(rows)
    names = [f"{r['n']}^3\n{DIRECTIONS[place(r)[0]][0]}" for r in chosen]
    shares = [steps_of(rows, r, steps) for r in chosen]
    below = [0.0] * len(chosen)
    for colour, (k, step) in zip(COLOURS, enumerate(steps)):
        heights = [100 * times[k] / (sum(times) or 1) for times in shares]
        panel.bar(names, heights, bottom=below, color=colour, label=step)
        below = [b + h for b, h in zip(below, heights)]
    panel.set(title="steps, % of their sum" + (f", {method(solver)}" if steps is STEPS else ""))
    panel.tick_params(axis="x", labelsize=7)
    panel.legend(fontsize=7)
