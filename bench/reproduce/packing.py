# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Shows register-packed cyclic reduction: its resources, and its times beside other algorithms."""

from measurements import (COLOURS, INK, distinct, fraction, ms, number, select, short, table,
                          times_floor, usable)

# This is table 1 of the paper (GTX 460, single precision): registers of a thread, KiB of shared
# memory. Its blocks have rows / depth threads.
TABLE_1 = {(512, 4): (31, 2.5), (512, 8): (47, 1.25), (512, 16): (80, 0.625),
           (1024, 4): (31, 5), (1024, 8): (47, 2.5), (1024, 16): (80, 1.25),
           (2048, 4): (31, 10), (2048, 8): (47, 5), (2048, 16): (80, 2.5),
           (4096, 4): (31, 20), (4096, 8): (47, 10), (4096, 16): (80, 5)}
PAPER_ALPHA, PAPER_BETA = 15, 4
PACKED = "tridia cuda, packed_cr"
RADIX_4 = "tridia cuda, packed_cr with radix 4"
HIERARCHICAL = "tridia cuda, hierarchical"
PAPER_ROWS = (512, 1024, 2048, 4096)


def resources(row):
    """Returns threads per block, registers per thread and bytes of shared memory from the plan's
    text."""
    words = row["note"].replace(",", "").split()
    return tuple(int(words[words.index(w) - 1]) for w in ("threads", "registers", "bytes"))


def fit(points):
    """Fits registers = alpha + beta depth by least squares."""
    n = len(points)
    x, y = sum(d for d, _ in points) / n, sum(r for _, r in points) / n
    beta = (sum((d - x) * (r - y) for d, r in points) / sum((d - x) ** 2 for d, _ in points))
    return y - beta * x, beta


def at_depth(rows, kind, n, depth, solver=PACKED):
    """Returns the row of packed CR with a packing depth, or None."""
    found = select(rows, type=kind, n=n, solver=solver, parameter=f"packing depth {depth}")
    return found[0] if found else None


def splits(row):
    """Returns whether a row of the hierarchical method says that it splits systems."""
    return "steps of PCR in memory" in (row["note"] or "")


def split_lengths(rows, kind):
    """Returns the lengths at which the hierarchical method splits systems."""
    return sorted(r["n"] for r in select(rows, type=kind, solver=HIERARCHICAL) if splits(r))


def show(rows):
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
              f"{PAPER_BETA} depth. They keep to a bound that the library computes from the depth;\n"
              "bench/packing_registers.py compiles the kernels without it.\n")
        show_figure_7(rows, kind)
        show_radix_4(rows, kind)
        show_splits(rows, kind)


def best_packed(rows, kind, n, solver=PACKED):
    return min(select(rows, type=kind, n=n, solver=solver), key=lambda r: r["ms"], default=None)


def show_radix_4(rows, kind):
    lines = []
    for r in select(rows, type=kind, solver=RADIX_4):
        two = at_depth(rows, kind, r["n"], number(r["parameter"]))
        lines.append((r["n"], number(r["parameter"]), resources(r)[1], ms(r), times_floor(r),
                      f"{two['ms'] / r['ms']:.2f}" if two else "-"))
    if lines:
        print(f"{kind}: figure 8, stages of radix 4")
        table(("rows", "depth", "registers", "ms", "floors", "times as fast as radix 2"), lines)


def show_splits(rows, kind):
    lines = []
    for n in split_lengths(rows, kind):
        packed, other = best_packed(rows, kind, n), select(rows, type=kind, n=n, solver=HIERARCHICAL)[0]
        lines.append((n, ms(other), ms(packed) if packed else "does not fit",
                      f"{other['ms'] / packed['ms']:.2f}" if packed else "-"))
    if lines:
        print(f"{kind}: systems that the hierarchical method splits")
        table(("rows", "hierarchical, ms", "packed CR, ms", "times as fast"), lines)


def show_figure_7(rows, kind):
    lengths = sorted({r["n"] for r in rows if r["n"]})
    solvers = [s for s in distinct(r["solver"] for r in rows if usable(r) and r["type"] == kind)
               if s not in (PACKED, RADIX_4)]
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


def draw(rows, figure):
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
    for colour, solver in zip(COLOURS, [s for s in solvers if s not in (PACKED, RADIX_4)]):
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
