# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the part of packing: Davidson, Owens, 2011."""

import packing
from measurements import number
from readme import table
from report import select

from .claims import KINDS, UNKNOWN, both, claims, measured, spread, time_of, verdict


def packed_rows(rows, kind):
    return select(rows, type=kind, solver=packing.PACKED)


def spilled(row):
    return f", spills {row['spill_bytes']} bytes" if row["spill_bytes"] else ""


def resources_table(rows, compiled):
    """Makes table 1: registers and shared memory by depth, f32, beside the paper's."""
    bound, free = ({r["depth"]: r for r in compiled["rows"]
                    if r["type"] == "f32" and r["bounded"] == b} for b in (True, False))
    lines = []
    for depth in (2, 4, 8, 16, 32):
        cells = []
        for n in (512, 4096):
            found = [r for r in packed_rows(rows, "f32") if number(r["parameter"]) == depth
                     and r["n"] == n]
            cells.append(f"{found[0]['ms'] / found[0]['floor_ms']:.1f}" if found else "does not fit")
        short_one = [r for r in packed_rows(rows, "f32") if number(r["parameter"]) == depth
                     and r["n"] == 512][0]
        _, registers, shared = packing.resources(short_one)
        paper = packing.TABLE_1.get((512, depth))
        then = [f" [{p:g}]" if paper else "" for p in paper or (0, 0)]
        lines.append([str(depth), f"{registers}{then[0]}{spilled(bound[depth])}",
                      f"{free[depth]['registers']}{spilled(free[depth])}",
                      f"{shared / 1024:g}{then[1]}", *cells])
    return table(["depth", "registers", "without a bound", "KiB of shared memory, 512 rows",
                  "times F, 512 rows", "4096 rows"], lines)


def ratios_to_packed(rows, kind, solvers):
    """Returns {(rows, solver): time over that of packed CR at its best depth}, for the paper's rows."""
    return {(n, s): time_of(rows, f"tridia cuda, {s}", type=kind, n=n)
            / packing.best_packed(rows, kind, n)["ms"] for n in packing.PAPER_ROWS for s in solvers}


def register_claim(compiled, kind):
    """Fits equation 1 to what is compiled without a bound and does not spill."""
    free = [r for r in compiled["rows"] if r["type"] == kind and not r["bounded"]]
    points = [(r["depth"], r["registers"]) for r in free if not r["spill_bytes"]
              and r["registers"] < 255]
    if len(points) < 3:
        return None, points, free
    alpha, beta = packing.fit(points)
    off = max(abs(alpha + beta * d - r) / r for d, r in points)
    return (alpha, beta, off), points, free


PEERS = ("cr", "crnbc", "pcr", "cr_pcr", "pcr_thomas", "hierarchical")


def bandwidth_claim(counted, source):
    """Compares what a thread moves in the stages of its registers, over all depths: equation 3."""
    rows = [r for r in counted["rows"] if r["radix"] == 2]
    moved = {kind: {s["loads"] + s["stores"] for r in rows if r["type"] == kind for s in r["stages"]}
             for kind in KINDS}
    among = {kind: {r["among_threads"]["forward"]["loads"] + r["among_threads"]["forward"]["stores"]
                    for r in rows if r["type"] == kind} for kind in KINDS}
    depths = ", ".join(str(d) for d in sorted({r["depth"] for r in rows}))
    return ("equation 3: so is what a stage moves through it",
            verdict([len(found[kind]) == 1 for kind in KINDS for found in (moved, among)]),
            "bytes a thread loads and stores in each stage of its registers, as compiled, at depths "
            f"{depths}: " + " and ".join(f"{spread(moved[k], '{:g}')} ({k})" for k in KINDS)
            + "; in one among threads, an active thread: "
            + " and ".join(f"{spread(among[k], '{:g}')} ({k})" for k in KINDS) + f" ([counted]({source}))")


def split_claim(rows):
    """Compares packed CR with the hierarchical method at rows at which that splits systems."""
    claim = "systems that others have to split are solved in one block, and faster"
    told, ahead = [], []
    for kind in KINDS:
        for n in packing.split_lengths(rows, kind):
            packed = packing.best_packed(rows, kind, n)
            other = select(rows, type=kind, n=n, solver=packing.HIERARCHICAL)[0]
            if packed:
                ahead.append(other["ms"] > packed["ms"])
            told.append(f"{kind}, {n} rows: " + (f"{other['ms'] / packed['ms']:.2f} times as fast as "
                                                 "hierarchical" if packed else "packed CR does not fit"))
    if not ahead:
        return claim, UNKNOWN, "no rows of systems that the hierarchical method splits"
    return claim, verdict(ahead), "; ".join(told)


def radix_claim(rows, counted):
    """Compares stages of radix 4 with those of radix 2, at each one's best depth."""
    claim = "figure 8: the method extends to a larger radix, with as much to move in a stage"
    moved = {kind: [{s["loads"] + s["stores"] for r in counted["rows"] if r["type"] == kind
                     and r["radix"] == radix for s in r["stages"]} for radix in (2, 4)] for kind in KINDS}
    same = [two == four for two, four in moved.values()]
    stages = {radix: max(len(r["stages"]) for r in counted["rows"] if r["radix"] == radix)
              for radix in (2, 4)}
    compiled = (f"as compiled, a thread moves {'the same' if all(same) else 'other'} bytes in a stage, in "
                f"{stages[4]} stages of {stages[2]} at depth 32")
    told = []
    for kind in KINDS:
        ratios = [packing.best_packed(rows, kind, n)["ms"] / best["ms"] for n in packing.PAPER_ROWS
                  if (best := packing.best_packed(rows, kind, n, packing.RADIX_4))]
        if ratios:
            told.append(f"{kind}: {spread(ratios)} times as fast as radix 2")
    if not told:
        return claim, UNKNOWN, compiled + "; no times"
    return claim, verdict(same), compiled + ". " + "; ".join(told)


def radix_table(rows):
    """Makes the table of times of radix 2 over those of radix 4; empty if that was not measured."""
    lengths = sorted({r["n"] for r in select(rows, solver=packing.RADIX_4)})
    lines = []
    for kind in KINDS:
        for depth in (2, 4, 8, 16, 32):
            pairs = [[packing.at_depth(rows, kind, n, depth, s) for s in (packing.PACKED, packing.RADIX_4)]
                     for n in lengths]
            lines.append([f"depth {depth}, {kind}", *(f"{two['ms'] / four['ms']:.2f}" if two and four
                                                      else "does not fit" for two, four in pairs)])
    if not lengths:
        return []
    return ["Figure 8: the time of stages of radix 2 over that of radix 4:", "",
            *table(["", *(f"{n} rows" for n in lengths)], lines), ""]


def text(files, sources):
    rows, compiled, counted = files[0]["rows"], files[1], files[2]
    ratios = {kind: ratios_to_packed(rows, kind, PEERS) for kind in KINDS}
    depths = {kind: {n: number(packing.best_packed(rows, kind, n)["parameter"])
                     for n in packing.PAPER_ROWS} for kind in KINDS}
    linear = {kind: {packing.resources(r)[2] / packing.resources(r)[0] for r in packed_rows(rows, kind)}
              for kind in KINDS}
    fits = {kind: register_claim(compiled, kind) for kind in KINDS}
    told = []
    for kind in KINDS:
        fit, points, free = fits[kind]
        over = [r for r in free if r["spill_bytes"] or r["registers"] >= 255]
        told.append(f"{kind}: " + (f"{fit[0]:.0f} + {fit[1]:.1f} depth, {100 * fit[2]:.0f} % off at most"
                                   if fit else "too few depths fit")
                    + (", of depths " + ", ".join(str(d) for d, _ in points))
                    + "".join(f"; depth {r['depth']} takes {r['registers']} and spills "
                              f"{r['spill_bytes']} bytes" for r in over))
    held = [fits[kind][0] is not None and fits[kind][0][2] < 0.1 for kind in KINDS]
    slower = [f"{s} at {n} rows ({kind}): {v:.2f}" for kind in KINDS
              for (n, s), v in ratios[kind].items() if v < 1]
    of_cr = [v for kind in KINDS for (n, s), v in ratios[kind].items() if s == "cr"]
    lines = [
        ("equation 1: registers are linear in the depth (the paper: 15 + 4 depth)", verdict(held),
         "without a bound on them, as nvcc compiles for sm_90: " + ". ".join(told)),
        ("equation 2: shared memory is linear in the threads",
         verdict([len(linear[kind]) == 1 for kind in KINDS]),
         "bytes a thread: " + both([max(linear[kind]) for kind in KINDS], "{:g}")
         + ", two sets of three words (the paper: 20, f32)"),
        bandwidth_claim(counted, sources[2]),
        ("the best depth is 8",
         verdict([d == 8 for kind in KINDS for d in depths[kind].values()]),
         "; ".join(f"{kind}: " + ", ".join(f"{n} rows {d}" for n, d in depths[kind].items())
                   for kind in KINDS)),
        ("3 to 4.5 times as fast as CR", verdict([v >= 3 for v in of_cr]), spread(of_cr)),
        ("1.5 times as fast as any other at least",
         verdict([v >= 1.5 for kind in KINDS for v in ratios[kind].values()]),
         "; ".join(f"{kind}: {spread(ratios[kind].values())}" for kind in KINDS)
         + f". Faster than packed CR: {', '.join(slower) or 'none'}"),
        split_claim(rows),
        radix_claim(rows, counted),
    ]
    heads = sorted({n for n, _ in ratios["f32"]})
    figure = [[f"{s}, {kind}", *(f"{ratios[kind][n, s]:.2f}" for n in heads)]
              for kind in KINDS for s in PEERS]
    return [f"{measured(files[0], sources[0])} Table 1, f32, in brackets the paper's (GTX 460, CUDA 3.1). "
            "The kernels are compiled with a bound on their registers, which the library computes from the "
            "depth so that a block gets its threads; without it they take what the third column says "
            f"([compiled]({sources[1]}), {compiled['compiler'].split(',')[0]}, no GPU needed).", "",
            *resources_table(rows, compiled), "",
            "Figure 7: the time of others over that of packed CR at its best depth:", "",
            *table(["", *(f"{n} rows" for n in heads)], figure), "", *radix_table(rows), *claims(lines)]
