#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Repeats an experiment of the papers on this machine's GPU.

    tridia reproduce hybrid|cuthomas|packing|neato [--json FILE] [--png FILE] [OPTIONS of tridia_bench]
    tridia reproduce cluster [--ranks P] [--device cpu|cuda] ... [OPTIONS of tridia bench scaling]
    tridia reproduce NAME --from FILE.json        shows what was measured before

runs tridia_bench, which lies beside this program, prints the experiment's table with the paper's own
figures, and writes the measurements (NAME.json) and a picture of them (NAME.png, by matplotlib).
`cluster` runs tridia_bench_scaling by mpirun on 1, 2, 4, ... P ranks: all GPUs of this machine, and
eight of its cores for each, or its cores where it has no GPU.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INK = "#444444"
COLOURS = ("#1f5fb4", "#c2620e", "#2a7f3f", "#8a3ab0", "#a02c2c", "#0f8a8a", "#7a6a1a", "#555555",
           "#d05a9a")


def usable(row):
    return row["ms"] is not None and not row.get("error")


def select(rows, **fields):
    return [r for r in rows if usable(r) and all(r.get(k) == v for k, v in fields.items())]


def short(row):
    """The solver's name without the library's; the library's choice is `automatic`."""
    name = row["solver"]
    if name == "tridia cuda":
        return "automatic"
    return name.replace("tridia cuda, ", "")


def number(parameter):
    return int(parameter.rsplit(" ", 1)[1])


def ms(row):
    return f"{row['ms']:.4f}"


def fraction(row):
    return f"{row['roofline_fraction']:.3f}" if row["roofline_fraction"] else "-"


def times_floor(row):
    return f"{row['ms'] / row['floor_ms']:.2f}" if row["floor_ms"] else "-"


def table(head, lines):
    widths = [max(len(str(line[i])) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        cells = [str(c).ljust(w) if i == 0 else str(c).rjust(w)
                 for i, (c, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())
    print()


def distinct(values):
    return list(dict.fromkeys(values))


# -- hybrid ---------------------------------------------------------------------------------------

HYBRIDS = ("cr_pcr", "pcr_thomas")


def switch_points(rows, kind, solver):
    found = select(rows, type=kind, solver=f"tridia cuda, {solver}")
    return {number(r["parameter"]): r for r in found if r["parameter"]}


def show_hybrid(rows):
    print("1024 systems of 1024 rows. The poster (GTX 480, 2010) draws its times and prints no "
          "numbers.\n")
    for kind in ("f32", "f64"):
        by_solver = {s: switch_points(rows, kind, s) for s in HYBRIDS}
        points = sorted({p for found in by_solver.values() for p in found})
        print(f"{kind}: milliseconds (times the floor) against the switch point")
        table(("rows of the intermediate system", *HYBRIDS),
              [(p, *(f"{ms(found[p])} ({times_floor(found[p])})" if p in found else "-"
                     for found in by_solver.values())) for p in points])
        show_solvers(rows, kind)


def show_solvers(rows, kind):
    moved = select(rows, type=kind, solver="transfer")
    transfer = moved[0]["ms"] if moved else math.nan
    automatic = select(rows, type=kind, solver="tridia cuda")[0]["ms"]
    lines = []
    for r in select(rows, type=kind):
        if r["parameter"] or r["solver"] in ("copy", "transfer"):
            continue
        on_cpu = r["threads"] is not None
        name = short(r)
        if on_cpu:
            name += ", 1 thread" if r["threads"] == 1 else f", {r['threads']} threads"
        moved_too = "-" if on_cpu else f"{r['ms'] + transfer:.4f}"
        lines.append((name, ms(r), moved_too, f"{r['ms'] / automatic:.2f}", fraction(r)))
    print(f"{kind}: all solvers")
    table(("solver", "ms", "ms with the transfer", "times automatic", "roofline fraction"), lines)


def draw_hybrid(rows, figure):
    panels = figure.subplots(1, 2)
    for panel, kind in zip(panels, ("f32", "f64")):
        for colour, solver in zip(COLOURS, HYBRIDS):
            points = sorted(switch_points(rows, kind, solver).items())
            panel.plot([p for p, _ in points], [r["ms"] for _, r in points], marker="o",
                       color=colour, label=solver)
        for r in select(rows, type=kind, solver="tridia cuda"):
            panel.axhline(r["ms"], color=INK, linewidth=0.8, label="automatic")
        panel.set(xscale="log", xlabel="switch point: rows of the intermediate system",
                  ylabel="ms", title=f"1024 systems of 1024 rows, {kind}")
        panel.set_xscale("log", base=2)
        panel.legend()


# -- cuthomas -------------------------------------------------------------------------------------

THOMAS = "tridia cuda, thomas"
MOVING = "transformation"
STRIDED = "cuSPARSE gtsv2StridedBatch"


def columns_cuthomas(rows):
    """(heading, what the rows have in common)."""
    interleaved = distinct(r["solver"] for r in rows if "Interleaved" in r["solver"])
    strided = distinct(r["solver"] for r in rows if "Strided" in r["solver"])
    return [
        *((name.replace("cuSPARSE ", ""), {"solver": name}) for name in strided),
        ("thomas as it is", {"solver": THOMAS, "parameter": None, "layout": "contiguous"}),
        ("full", {"solver": THOMAS, "parameter": "transformation full"}),
        ("of which moving", {"solver": MOVING, "parameter": "full"}),
        ("blocks", {"solver": THOMAS, "parameter": "transformation blocks"}),
        ("automatic", {"solver": "tridia cuda", "layout": "contiguous"}),
        ("thomas interleaved", {"solver": THOMAS, "parameter": None, "layout": "interleaved"}),
        *((name.replace("cuSPARSE ", ""), {"solver": name}) for name in interleaved),
        ("automatic interleaved", {"solver": "tridia cuda", "layout": "interleaved"}),
    ]


def with_fraction(row):
    return f"{ms(row)} ({fraction(row)})" if row["roofline_fraction"] else ms(row)


def uniform(rows):
    return [r for r in rows if r["n"] and "ragged" not in r["case"]]


def show_cuthomas(rows):
    columns = columns_cuthomas(rows)
    for kind in ("f64", "f32"):
        best = 0.0
        for n in sorted({r["n"] for r in uniform(rows)}):
            print(f"{kind}, systems of {n} rows: milliseconds (roofline fraction)")
            lines, wins = [], None
            for batch in sorted({r["batch"] for r in uniform(rows) if r["n"] == n}):
                found = [select(uniform(rows), type=kind, n=n, batch=batch, **f)
                         for _, f in columns]
                lines.append((batch, *(with_fraction(f[0]) if f else "-" for f in found)))
                times = {name: f[0]["ms"] for (name, _), f in zip(columns, found) if f}
                peer, thomas = times.get("gtsv2StridedBatch"), times.get("thomas interleaved")
                if peer and thomas:
                    best = max(best, peer / thomas)
                    wins = None if thomas > peer else wins or batch
            table(("batch", *(name for name, _ in columns)), lines)
            print(f"one thread a system (interleaved) beats gtsv2StridedBatch from a batch of "
                  f"{wins}\n" if wins else "one thread a system does not win\n")
        paper = {"f64": 5, "f32": 6}[kind]
        print(f"{kind}: up to {best:.1f} times as fast as gtsv2StridedBatch; the paper (P100): up "
              f"to {paper} times\n")
    show_variable(rows)


def show_variable(rows):
    print("systems of 64 to 1024 rows: milliseconds, and times the floor of their bytes")
    lines = [(f"{short(r)}, {r['parameter'] or 'as it is'}"
              if r["solver"] in (THOMAS, MOVING) else short(r),
              r["type"], r["batch"], ms(r), times_floor(r), fraction(r))
             for r in rows if usable(r) and "ragged" in r["case"]]
    table(("solver", "type", "batch", "ms", "floors", "roofline fraction"), lines)


def draw_cuthomas(rows, figure):
    panels = figure.subplots(1, 2, sharey=True)
    for panel, n in zip(panels, (64, 1024)):
        columns = [c for c in columns_cuthomas(rows) if c[1]["solver"] != MOVING]
        for colour, (name, fields) in zip(COLOURS, columns):
            points = sorted((r["batch"], r["ms"] / r["floor_ms"])
                            for r in select(uniform(rows), type="f64", n=n, **fields)
                            if r["floor_ms"])
            if points:
                panel.plot(*zip(*points), marker=".", color=colour, label=name)
        panel.set(xscale="log", yscale="log", xlabel="batch", title=f"systems of {n} rows, f64")
        panel.set_xscale("log", base=2)
    panels[0].set_ylabel("times the floor")
    panels[0].legend(fontsize=7)


# -- packing --------------------------------------------------------------------------------------

# Table 1 of the paper (GTX 460, single precision): registers of a thread, KiB of shared memory. Its
# blocks have rows / depth threads.
TABLE_1 = {(512, 4): (31, 2.5), (512, 8): (47, 1.25), (512, 16): (80, 0.625),
           (1024, 4): (31, 5), (1024, 8): (47, 2.5), (1024, 16): (80, 1.25),
           (2048, 4): (31, 10), (2048, 8): (47, 5), (2048, 16): (80, 2.5),
           (4096, 4): (31, 20), (4096, 8): (47, 10), (4096, 16): (80, 5)}
PAPER_ALPHA, PAPER_BETA = 15, 4
PACKED = "tridia cuda, packed_cr"


def resources(row):
    """Threads of a block, registers of one, bytes of shared memory, as the plan says them."""
    words = row["note"].replace(",", "").split()
    return tuple(int(words[words.index(w) - 1]) for w in ("threads", "registers", "bytes"))


def fit(points):
    """Least squares of registers = alpha + beta depth."""
    n = len(points)
    x, y = sum(d for d, _ in points) / n, sum(r for _, r in points) / n
    beta = (sum((d - x) * (r - y) for d, r in points) / sum((d - x) ** 2 for d, _ in points))
    return y - beta * x, beta


def show_packing(rows):
    for kind in ("f32", "f64"):
        lines, registers = [], {}
        for r in select(rows, type=kind, solver=PACKED):
            depth = number(r["parameter"])
            threads, regs, shared = resources(r)
            registers[depth] = regs
            paper = TABLE_1.get((r["n"], depth)) if kind == "f32" else None
            lines.append((r["n"], depth, threads, r["n"] // depth if paper else "-", regs,
                          paper[0] if paper else "-", f"{shared / 1024:.3g}",
                          paper[1] if paper else "-", ms(r), times_floor(r), fraction(r)))
        print(f"{kind}: table 1 (the paper's figures: GTX 460, single precision)")
        table(("rows", "depth", "threads", "paper", "registers", "paper", "KiB shared", "paper", "ms",
               "floors", "roofline fraction"), lines)
        alpha, beta = fit(sorted(registers.items()))
        print(f"{kind}: registers = {alpha:.1f} + {beta:.2f} depth; the paper: {PAPER_ALPHA} + "
              f"{PAPER_BETA} depth\n")
        show_figure_7(rows, kind)


def best_packed(rows, kind, n):
    return min(select(rows, type=kind, n=n, solver=PACKED), key=lambda r: r["ms"], default=None)


def show_figure_7(rows, kind):
    lengths = sorted({r["n"] for r in rows if r["n"]})
    solvers = [s for s in distinct(r["solver"] for r in rows if usable(r) and r["type"] == kind)
               if s != PACKED]
    lines = []
    for solver in solvers:
        cells = []
        for n in lengths:
            found, packed = select(rows, type=kind, n=n, solver=solver), best_packed(rows, kind, n)
            cells.append(f"{found[0]['ms'] / packed['ms']:.2f} ({fraction(found[0])})"
                         if found and packed else "-")
        lines.append((short({"solver": solver}), *cells))
    print(f"{kind}: figure 7, times of packed CR at its best depth (the paper: 1.5 to 4.5), and "
          "roofline fraction")
    table(("solver", *lengths), lines)


def draw_packing(rows, figure):
    panels = figure.subplots(1, 2)
    for colour, kind in zip(COLOURS, ("f32", "f64")):
        for style, n in zip(("-", "--", "-.", ":"), sorted({r["n"] for r in rows if r["n"]})):
            points = sorted((number(r["parameter"]), r["ms"] / r["floor_ms"])
                            for r in select(rows, type=kind, n=n, solver=PACKED) if r["floor_ms"])
            if points:
                panels[0].plot(*zip(*points), style, marker=".", color=colour,
                               label=f"{kind}, {n} rows")
    panels[0].set_xscale("log", base=2)
    panels[0].set(xlabel="packing depth", ylabel="times the floor", title="packed CR")
    panels[0].legend(fontsize=7)
    solvers = distinct(r["solver"] for r in rows if usable(r) and r["type"] == "f32")
    for colour, solver in zip(COLOURS, [s for s in solvers if s != PACKED]):
        points = []
        for r in select(rows, type="f32", solver=solver):
            packed = best_packed(rows, "f32", r["n"])
            if packed:
                points.append((r["n"], r["ms"] / packed["ms"]))
        if points:
            panels[1].plot(*zip(*sorted(points)), marker=".", color=colour,
                           label=short({"solver": solver}))
    panels[1].axhline(1, color=INK, linewidth=0.8)
    panels[1].set_xscale("log", base=2)
    panels[1].set(xlabel="rows", title="times of packed CR, f32")
    panels[1].legend(fontsize=7)


# -- neato ----------------------------------------------------------------------------------------

# Table 4.1 of the thesis, milliseconds, double precision: a core and eight of a Xeon E5-2670 v2 (MKL),
# cuSPARSE, NEATO in global and in shared memory on a K20.
TABLE_4_1 = {(32, 32): (0.045, 0.042, 0.273, 0.201, 0.024),
             (64, 64): (0.048, 0.048, 0.271, 0.247, 0.025),
             (128, 128): (0.089, 0.084, 0.271, 0.284, 0.032),
             (256, 256): (0.263, 0.107, 0.305, 0.326, 0.066),
             (512, 512): (0.959, 0.299, 0.629, 0.403, 0.272),
             (1024, 1024): (3.775, 1.023, 1.939, 1.375, 1.252),
             (2048, 2048): (16.272, 4.823, 7.607, 5.811, 10.407),
             (32, 1024): (0.152, 0.094, 0.31, 0.207, 0.092),
             (64, 4096): (0.879, 0.306, 0.556, 0.751, 0.409),
             (128, 16384): (7.052, 2.553, 3.128, 3.669, 2.225),
             (256, 65536): (63.858, 18.792, 28.495, 21.148, 12.565),
             (512, 262144): (515.792, 196.748, None, 145.34, 125.311)}
NEATO = "tridia cuda, neato"


def columns_neato(rows):
    """(heading, the rows of a size that are meant, the paper's column)."""
    def on_cpu(most):
        def pick(found):
            peers = [r for r in found if r["threads"] is not None]
            # MKL where it was found, as in the thesis.
            peers = [r for r in peers if "MKL gtsv" in r["solver"]] or peers
            return [r for r in peers if (r["threads"] > 1) == most]
        return pick
    return [
        ("CPU, 1 core", on_cpu(False), 0),
        ("CPU, all cores", on_cpu(True), 1),
        ("cuSPARSE", lambda found: select(found, solver="cuSPARSE gtsv2StridedBatch"), 2),
        ("NEATO global", lambda found: select(found, solver=NEATO, parameter="memory global"), 3),
        ("NEATO shared", lambda found: select(found, solver=NEATO, parameter="memory shared"), 4),
        ("automatic", lambda found: select(found, solver="tridia cuda"), None),
    ]


def of_size(rows, size):
    return [r for r in rows if usable(r) and (r["n"], r["batch"]) == size]


def show_neato(rows):
    columns = columns_neato(rows)
    cpus = distinct(f"{r['solver']} ({r['threads']} threads)" for r in rows
                    if r["threads"] is not None and r["solver"] != "copy")
    print(f"table 4.1, milliseconds; in brackets the thesis's (K20, 2015). CPU: {', '.join(cpus)}")
    lines, fractions = [], []
    for size, paper in TABLE_4_1.items():
        found = [pick(of_size(rows, size)) for _, pick, _ in columns]
        cells = []
        for cell, (_, _, column) in zip(found, columns):
            then = paper[column] if column is not None else None
            cells.append((f"{cell[0]['ms']:.4f}" if cell else "-")
                         + (f" [{then}]" if then is not None else ""))
        lines.append((f"{size[0]} x {size[1]}", *cells))
        fractions.append((f"{size[0]} x {size[1]}",
                          *(fraction(c[0]) if c else "-" for c in found)))
    table(("rows x systems", *(name for name, _, _ in columns)), lines)
    print("roofline fractions, each of its own fewest bytes")
    table(("rows x systems", *(name for name, _, _ in columns)), fractions)


def draw_neato(rows, figure):
    panels = figure.subplots(1, 2, sharey=True)
    for panel, title, sizes in ((panels[0], "planes: n systems", [s for s in TABLE_4_1
                                                                   if s[0] == s[1]]),
                                (panels[1], "cubes: n^2 systems", [s for s in TABLE_4_1
                                                                   if s[0] != s[1]])):
        for colour, (name, pick, column) in zip(COLOURS, columns_neato(rows)):
            points = [(n, pick(of_size(rows, (n, b)))) for n, b in sizes]
            points = [(n, found[0]["ms"]) for n, found in points if found]
            if points:
                panel.plot(*zip(*points), marker="o", color=colour, label=name)
            if column is not None:
                then = [(s[0], TABLE_4_1[s][column]) for s in sizes
                        if TABLE_4_1[s][column] is not None]
                panel.plot(*zip(*then), ":", color=colour, linewidth=1)
        panel.set_xscale("log", base=2)
        panel.set(yscale="log", xlabel="rows", title=title)
    panels[0].set_ylabel("ms (dotted: the thesis)")
    panels[0].legend(fontsize=7)


# -- cluster --------------------------------------------------------------------------------------

# Table 4.2 of the thesis: milliseconds of a derivative in the fastest direction, n^3 points, on so many
# cores (a reference by LU across ranks) and GPUs (K20; of 2048^3 K40 as well). Its figures 4.5 to 4.10
# are drawn, and print no numbers.
TABLE_4_2 = {256: ({8: 79.5, 64: 20.8, 512: 11.1}, {1: 19.9, 8: 5.17, 64: 2.79}),
             512: ({8: 556.8, 64: 146.5, 512: 29.2}, {1: 164.5, 8: 23.24, 64: 5.62}),
             1024: ({8: 5188, 64: 1092, 512: 223.7}, {8: 174.9, 64: 24.49}),
             2048: ({512: 1741}, {64: 297.07})}
CORES_A_GPU = 8
DERIVATIVE = "C6 derivative"
DIRECTIONS = ("z", "y", "x, the fastest")
STEPS = ("reduce", "interface", "expand")
HOW_MANY = ("none", "one", "two", "three")


def place(row):
    """The axis of a row's lines, and the ranks along each axis."""
    axis, ranks = re.fullmatch(r"axis (\d+), ranks \((.*)\)", row["layout"]).groups()
    return int(axis), tuple(int(r) for r in ranks.split(", "))


def ranks_of(row):
    return math.prod(place(row)[1])


def directions_split(row):
    return sum(r > 1 for r in place(row)[1])


def points_of(row):
    """Points along an axis of a cube: of each rank where scaling is weak, or else of all."""
    axis, ranks = place(row)
    return row["n"] // ranks[axis] if row["case"].startswith("weak") else row["n"]


def scaling_rows(rows, kind, axis=None, step=None, solver=None):
    """Of derivatives: whole ones, or one of their steps."""
    case = f"{kind}, {DERIVATIVE}" + (f", {step}" if step else "")
    return [r for r in select(rows, case=case) if (axis is None or place(r)[0] == axis)
            and (solver is None or r["solver"] == solver)]


def main_solver(rows):
    """GPUs, where they were measured."""
    solvers = {r["solver"] for r in rows}
    return "tridia nccl" if "tridia nccl" in solvers else "tridia mpi"


def alone(found, row):
    """What one rank takes for the same problem (strong), or for its part of it (weak)."""
    one = [r["ms"] for r in found if ranks_of(r) == 1 and points_of(r) == points_of(row)]
    return one[0] if one else None


def gain(found, row):
    """Speed-up (strong) or efficiency (weak) against one rank."""
    one = alone(found, row)
    return one / row["ms"] if one else None


def show_cluster(rows):
    solver = main_solver(rows)
    what = "GPUs" if solver == "tridia nccl" else "CPU ranks, a core each"
    print(f"C6 first derivatives, f64, on {what}. The thesis (K20 and K40, InfiniBand, 2015) draws its "
          "figures 4.5 to 4.10 and prints no numbers of them.\n")
    for kind, figures, told in (("strong", "4.7 and 4.8", "speed-up"),
                                ("weak", "4.9 and 4.10", "efficiency")):
        for n in figure_sizes(rows, solver, kind):
            whose = "in all" if kind == "strong" else "a rank"
            print(f"figures {figures}: {kind} scaling, {n}^3 points {whose}: "
                  f"milliseconds ({told})")
            show_scaling(rows, solver, kind, n)
    show_steps(rows, solver)
    show_table_4_2(rows)


def figure_sizes(rows, solver, kind):
    """The two that the figures of a kind have; larger ones are for steps and the table."""
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


def steps_of(rows, row):
    """Milliseconds of each step of a whole derivative."""
    return [next((r["ms"] for r in rows if r["case"] == f"{row['case']}, {step}"
                  and all(r[k] == row[k] for k in ("solver", "n", "batch", "layout"))), 0)
            for step in STEPS]


def stepped(rows, solver):
    """The whole derivatives of the largest grids (figures 4.5, 4.6), on all ranks, split in as many
    directions as can be."""
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


def show_steps(rows, solver):
    print(f"figures 4.5 and 4.6: steps of a derivative on {most_ranks(rows, solver)} ranks, ms: sums that "
          "other ranks need (for the thesis's halo swap and reduced system), their messages, and "
          "right-hand side, solve and sum in one (expand)")
    table(("points", "direction", "ranks", *STEPS, "whole"),
          [(f"{r['n']}^3", DIRECTIONS[place(r)[0]], str(place(r)[1]),
            *(f"{t:.4f}" for t in steps_of(rows, r)), ms(r)) for r in stepped(rows, solver)])


def table_rows(rows, solver):
    """Milliseconds along the fastest direction, by points and ranks, of the most even split."""
    best = {}
    for r in scaling_rows(rows, "strong", axis=2, solver=solver):
        key = (points_of(r), ranks_of(r))
        if key not in best or directions_split(r) > directions_split(best[key]):
            best[key] = r
    return {key: r["ms"] for key, r in best.items()}


def show_table_4_2(rows):
    cores, gpus = table_rows(rows, "tridia mpi"), table_rows(rows, "tridia nccl")
    columns = []
    for unit, ours, thesis in (("cores", cores, 0), ("GPUs", gpus, 1)):
        counts = {p for _, p in ours} | {p for t in TABLE_4_2.values() for p in t[thesis]}
        columns += [(f"{unit}: {p}", ours, p, thesis) for p in sorted(counts)]
    lines = []
    for n in sorted({n for n, _ in [*cores, *gpus]}):
        paper = TABLE_4_2.get(n, ({}, {}))
        lines.append((f"{n}^3", *(f"{ours[n, p]:.4g}" if (n, p) in ours else "-"
                                  for _, ours, p, _ in columns)))
        lines[-1] = (lines[-1][0], *(cell + (f" [{paper[t][p]}]" if p in paper[t] else "")
                                     for cell, (_, _, p, t) in zip(lines[-1][1:], columns)))
    print("table 4.2: milliseconds of a derivative in the fastest direction; in brackets the thesis's")
    table(("points", *(name for name, *_ in columns)), lines)
    if gpus and cores:
        show_figure_4_11(cores, gpus)


def show_figure_4_11(cores, gpus):
    """Speed-up of GPUs over eight cores each, as the thesis counts, or over all that there are."""
    most, measured = max(p for _, p in cores), {p for _, p in gpus}
    pairs = [(g, min(CORES_A_GPU * g, most) if g in measured else CORES_A_GPU * g)
             for g in sorted(measured | {8, 64})]
    lines = []
    for n in sorted({n for n, _ in gpus}):
        paper = TABLE_4_2.get(n, ({}, {}))
        cells = []
        for g, c in pairs:
            ours = f"{cores[n, c] / gpus[n, g]:.1f}" if (n, g) in gpus and (n, c) in cores else "-"
            then = paper[0].get(CORES_A_GPU * g), paper[1].get(g)
            cells.append(ours + (f" [{then[0] / then[1]:.1f}]" if all(then) else ""))
        lines.append((f"{n}^3", *cells))
    print("figure 4.11: times as fast as the cores; in brackets the thesis's, over eight cores a GPU")
    table(("points", *(f"GPUs: {g}, cores: {c}" for g, c in pairs)), lines)


def draw_cluster(rows, figure):
    from matplotlib import ticker
    solver = main_solver(rows)
    panels = figure.subplots(1, 3)
    for panel, kind, told in ((panels[0], "strong", "speed-up, strong"),
                              (panels[1], "weak", "efficiency, weak")):
        for style, n in zip(("-o", "--s", ":^"), figure_sizes(rows, solver, kind)):
            for colour, axis in zip(COLOURS, range(3)):
                found = scaling_rows(rows, kind, axis, solver=solver)
                draw_gain(panel, found, n, style, colour,
                          f"{n}^3{' a rank' if kind == 'weak' else ''}, {DIRECTIONS[axis][0]}")
        panel.set_xscale("log", base=2)
        panel.set(xlabel="GPUs" if solver == "tridia nccl" else "CPU ranks", title=told)
        panel.xaxis.set_major_formatter(ticker.FormatStrFormatter("%d"))
        panel.legend(fontsize=7)
    panels[0].set_yscale("log", base=2)
    panels[0].yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    panels[1].axhline(1, color=INK, linewidth=0.8)
    panels[1].set_ylim(bottom=0)
    draw_steps(panels[2], rows, stepped(rows, solver))


def draw_gain(panel, found, n, style, colour, label):
    """One point for every split; the line joins the best of them."""
    points = [(ranks_of(r), gain(found, r)) for r in found if points_of(r) == n]
    points = [p for p in points if p[1]]
    best = {p: max(g for q, g in points if q == p) for p, _ in points}
    if points:
        panel.plot(*zip(*points), style[-1], color=colour, markersize=3)
        panel.plot(*zip(*sorted(best.items())), style[:-1], color=colour, label=label)


def draw_steps(panel, rows, chosen):
    names = [f"{r['n']}^3\n{DIRECTIONS[place(r)[0]][0]}" for r in chosen]
    below = [0.0] * len(chosen)
    for colour, (k, step) in zip(COLOURS, enumerate(STEPS)):
        heights = [100 * steps_of(rows, r)[k] / (sum(steps_of(rows, r)) or 1) for r in chosen]
        panel.bar(names, heights, bottom=below, color=colour, label=step)
        below = [b + h for b, h in zip(below, heights)]
    panel.set(title="steps, % of their sum")
    panel.tick_params(axis="x", labelsize=7)
    panel.legend(fontsize=7)


def fail(sentence):
    print(f"tridia reproduce: {sentence}", file=sys.stderr)
    sys.exit(2)


def gpus_here(folder):
    """Of this machine, as the library sees them."""
    info = subprocess.run([folder / "tridia", "info", "--json"], capture_output=True, text=True,
                          check=False)
    return len(json.loads(info.stdout)["cuda_devices"]) if info.returncode == 0 else 0


def doubled(most):
    """1, 2, 4, ... and the most."""
    return sorted({1 << k for k in range(most.bit_length()) if 1 << k < most} | {most})


def scaling_runs(device, ranks, cores):
    """(device, ranks, suite) of every run."""
    runs = [(device, p, "thesis") for p in doubled(ranks)]
    if device == "cuda":
        cpus = {min(CORES_A_GPU * p, cores) for p in doubled(ranks)} | {cores}
        runs += [("cpu", p, "thesis-table") for p in sorted(cpus)]
    return runs


def mpi_command(mpirun, ranks):
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    command = [mpirun, "-n", str(ranks)]
    if "Open MPI" in version or "OpenRTE" in version:
        # Hardware threads count as cores; with fewer of them than ranks they take turns.
        command += ["--oversubscribe", "--bind-to", "none"]
        if os.geteuid() == 0:
            command.append("--allow-run-as-root")
    return command


def measure_cluster(path, options):
    parser = argparse.ArgumentParser(prog="tridia reproduce cluster", add_help=False)
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--device", choices=("cpu", "cuda"))
    a, options = parser.parse_known_args(options)
    folder = Path(__file__).resolve().parent
    program = folder / "tridia_bench_scaling"
    for needed in (program, folder / "tridia"):
        if not needed.exists():
            fail(f"cluster needs {needed}, which is built with -DTRIDIA_BUILD_BENCHMARKS=ON where MPI "
                 "is found (libopenmpi-dev openmpi-bin)")
    mpirun = shutil.which("mpirun") or fail("cluster needs mpirun (openmpi-bin), and finds none")
    cores, gpus = len(os.sched_getaffinity(0)), gpus_here(folder)
    device = a.device or ("cuda" if gpus else "cpu")
    ranks = (gpus if device == "cuda" else cores) if a.ranks is None else a.ranks
    if ranks < 1:
        fail("--device cuda: no GPU is visible" if a.ranks is None else
             f"--ranks: {ranks} is less than 1")
    code, parts = 0, []
    with tempfile.TemporaryDirectory() as kept:
        for device_of_run, p, suite in scaling_runs(device, ranks, cores):
            part = Path(kept) / f"{device_of_run}-{p}.json"
            threads = 1 if device_of_run == "cpu" else max(1, cores // p)
            result = subprocess.run(
                [*mpi_command(mpirun, p), program, "--device", device_of_run, "--suite", suite,
                 "--points", "256", "--alone", "no", *options, "--json", part], check=False,
                env={**os.environ, "OMP_NUM_THREADS": str(threads)})
            # As tridia_bench: with 1 the results say what is wrong.
            if result.returncode not in (0, 1) or not part.exists():
                sys.exit(result.returncode or 2)
            code = max(code, result.returncode)
            parts.append(json.loads(part.read_text(encoding="utf-8")))
    command = ["tridia reproduce cluster", "--device", device, "--ranks", str(ranks), *options]
    merged = {**parts[0], "host": parts[-1]["machine"], "command": " ".join(command),
              "rows": [r for part in parts for r in part["rows"]]}
    Path(path).write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
    return code


# -------------------------------------------------------------------------------------------------

EXPERIMENTS = {"hybrid": (show_hybrid, draw_hybrid), "cuthomas": (show_cuthomas, draw_cuthomas),
               "packing": (show_packing, draw_packing), "neato": (show_neato, draw_neato),
               "cluster": (show_cluster, draw_cluster)}


def measure(name, path, options):
    if name == "cluster":
        return measure_cluster(path, options)
    program = Path(__file__).resolve().parent / "tridia_bench"
    result = subprocess.run([program, "reproduce", name, "--json", path, *options], check=False)
    # 1: a row is wrong, and the results say which; they are shown nevertheless.
    if result.returncode not in (0, 1):
        sys.exit(result.returncode)
    return result.returncode


def wrong_rows(rows):
    for r in rows:
        if r.get("error"):
            print(f"{r['solver']}, {r['type']}, n = {r['n']}, batch {r['batch']}: {r['error']}",
                  file=sys.stderr)


def draw(name, rows, path):
    try:
        import matplotlib
    except ImportError:
        print(f"tridia reproduce: no {path}: matplotlib is missing (python3-matplotlib)",
              file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure = pyplot.figure(figsize=(10, 4.4), layout="constrained")
    EXPERIMENTS[name][1](rows, figure)
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(prog="tridia reproduce", description=__doc__.split("\n")[0],
                                     epilog="Other options go to tridia_bench; those of cluster, but "
                                            "for --ranks and --device, to tridia bench scaling.")
    parser.add_argument("experiment", choices=sorted(EXPERIMENTS))
    parser.add_argument("--json", help="where the measurements go (EXPERIMENT.json)")
    parser.add_argument("--png", help="where the picture goes (EXPERIMENT.png)")
    parser.add_argument("--from", dest="source", help="measurements that exist already")
    a, options = parser.parse_known_args()
    path = a.source or a.json or f"{a.experiment}.json"
    code = 0 if a.source else measure(a.experiment, path, options)
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    rows = results["rows"]
    print(f"{results['machine']['device']}, {results['date']}\n")
    EXPERIMENTS[a.experiment][0](rows)
    wrong_rows(rows)
    draw(a.experiment, rows, a.png or f"{a.experiment}.png")
    return code


if __name__ == "__main__":
    sys.exit(main())
