#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/papers.md from what `tridia reproduce` measured.

    bench/paper_tables.py EXPERIMENT=FILE.json ...

as hybrid=bench/results/nvidia-h200/hybrid-DATE.json, writes the part of the page that stands between two
lines with the name of this script and of the experiment: its tables, and what became of each claim of
the paper. Verdicts are computed from the measurements, too. `packing` also takes what
bench/packing_registers.py and bench/packing_bandwidth.py wrote, as
packing=FILE.json,REGISTERS.json,BANDWIDTH.json.
"""

import argparse
import sys
from pathlib import Path

from readme import ROOT, put_between, source_of, table
from report import load, machine_line, select, usable

sys.path.append(str(Path(__file__).resolve().with_name("reproduce")))
import cluster  # noqa: E402
import cuthomas  # noqa: E402
import hybrid  # noqa: E402
import neato  # noqa: E402
import packing  # noqa: E402
from measurements import number, short  # noqa: E402

NAME = "bench/paper_tables.py"
PAGE = ROOT / "docs/papers.md"
KINDS = ("f32", "f64")
HELD, PART, NO, UNKNOWN = "held", "in part", "no longer", "not measured"


def verdict(found):
    """Returns the word for a claim that holds in all, some or none of the cases."""
    return HELD if all(found) else PART if any(found) else NO


def both(values, form):
    """Formats a value for f32 and one for f64."""
    return " and ".join(f"{form.format(v)} ({kind})" for kind, v in zip(KINDS, values))


def spread(values, form="{:.2f}"):
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def claims(lines):
    """Makes the table of claims, whose columns are text."""
    body = [["claim", "verdict", "measured"], ["---"] * 3,
            *([claim, f"**{word}**", figures] for claim, word, figures in lines)]
    return ["| " + " | ".join(line) + " |" for line in body]


def measured(results, source):
    return (f"Measured on an {machine_line(results)}, {results['date'][:10]}, tridia "
            f"{results['versions']['tridia']} ([results]({source})).")


def time_of(rows, solver, **fields):
    return select(rows, solver=solver, **fields)[0]["ms"]


def cpu_name(solver):
    """Returns a peer's name for readers; LAPACKE is the interface of the LAPACK that was linked."""
    return solver.replace("LAPACKE gtsv", "LAPACK's gtsv")


# -- hybrid ---------------------------------------------------------------------------------------

def best_switch(rows, kind, solver):
    found = hybrid.switch_points(rows, kind, solver)
    return min(((r["ms"], point) for point, r in found.items()))


def named_times(rows, kind):
    """Returns the milliseconds of the poster's solvers, the hybrids with their best switch point."""
    times = {name: time_of(rows, f"tridia cuda, {name}", type=kind, parameter=None)
             for name in ("thomas", "cr", "crnbc", "pcr")}
    return {**times, **{name: best_switch(rows, kind, name)[0] for name in hybrid.HYBRIDS}}


def solver_lines(rows):
    """Returns lines of microseconds by type: alone, and with the transfer for those of a GPU."""
    times = {}
    for r in rows:
        if not usable(r) or r["parameter"] or r["solver"] in ("copy", "transfer"):
            continue
        threads = r["threads"]
        name = cpu_name(short(r)) + (f", {threads} threads" if threads and threads > 1 else
                                     ", 1 thread" if threads else "")
        times.setdefault(name, {})[r["type"]] = r
    moved = {kind: time_of(rows, "transfer", type=kind) for kind in KINDS}
    lines = []
    for name, found in times.items():
        cells = []
        for kind in KINDS:
            r = found.get(kind)
            cells += ["-", "-"] if r is None else [
                f"{1e3 * r['ms']:.1f}", "-" if r["threads"] else f"{1e3 * (r['ms'] + moved[kind]):.0f}"]
        lines.append([name, *cells])
    for name in hybrid.HYBRIDS:
        cells = []
        for kind in KINDS:
            ms, point = best_switch(rows, kind, name)
            cells += [f"{1e3 * ms:.1f} ({point})", f"{1e3 * (ms + moved[kind]):.0f}"]
        lines.append([f"{name}, best switch point", *cells])
    return lines


def hybrid_text(files, sources):
    rows = files[0]["rows"]
    named = [named_times(rows, kind) for kind in KINDS]
    best = [[best_switch(rows, kind, name) for kind in KINDS] for name in hybrid.HYBRIDS]
    moved = [time_of(rows, "transfer", type=kind) for kind in KINDS]
    automatic = [time_of(rows, "tridia cuda", type=kind) for kind in KINDS]
    peers = {most: [min(r["ms"] for r in rows if usable(r) and r["type"] == kind and r["threads"]
                        and r["solver"] != "copy" and not r["solver"].startswith("tridia")
                        and (r["threads"] > 1) == most)
                    for kind in KINDS] for most in (False, True)}
    fastest = [min(times, key=times.get) for times in named]
    whole = [a + m for a, m in zip(automatic, moved)]
    middle = [1 < point < 1024 for found in best for _, point in found]
    lines = [
        ("CR-PCR is faster than CR and than PCR",
         verdict([t["cr_pcr"] < min(t["cr"], t["pcr"]) for t in named]),
         "times of the better one: " + both([min(t["cr"], t["pcr"]) / t["cr_pcr"] for t in named],
                                            "{:.2f}")),
        ("PCR-Thomas is faster than PCR and than Thomas",
         verdict([t["pcr_thomas"] < min(t["pcr"], t["thomas"]) for t in named]),
         "times of the better one: "
         + both([min(t["pcr"], t["thomas"]) / t["pcr_thomas"] for t in named], "{:.2f}")),
        ("the best switch point is at neither end", verdict(middle),
         "; ".join(f"{name} " + both([point for _, point in found], "{}")
                   for name, found in zip(hybrid.HYBRIDS, best))),
        ("CR loses to its bank conflicts: CRNBC is faster",
         verdict([t["crnbc"] < t["cr"] for t in named]),
         both([t["cr"] / t["crnbc"] for t in named], "{:.2f} times") + "; conflicts were not counted"),
        ("a hybrid is the fastest of the poster's solvers",
         verdict([name in hybrid.HYBRIDS for name in fastest]),
         " and ".join(f"{name} ({kind})" for kind, name in zip(KINDS, fastest))),
        ("a GPU is faster than one core, and than all cores",
         verdict([p > a for found in peers.values() for p, a in zip(found, automatic)]),
         "`automatic` beside the fastest peer: one core "
         + both([p / a for p, a in zip(peers[False], automatic)], "{:.0f} times")
         + "; all cores " + both([p / a for p, a in zip(peers[True], automatic)], "{:.0f} times")),
        ("the transfer costs more than the solve",
         verdict([m > a for m, a in zip(moved, automatic)]),
         "times `automatic`: " + both([m / a for m, a in zip(moved, automatic)], "{:.0f}")),
        ("with the transfer, a GPU is still faster than all cores",
         verdict([p > w for p, w in zip(peers[True], whole)]),
         both([p / w for p, w in zip(peers[True], whole)], "{:.1f} times")),
    ]
    return [f"{measured(files[0], sources[0])} Microseconds for 1024 systems of 1024 rows, alone and with "
            "the transfer (page-locked memory) of all arrays.", "",
            *table(["solver", "f32", "with transfer", "f64", "with transfer"], solver_lines(rows)), "",
            *claims(lines), "",
            f"Steps and work, as the poster counts them ({hybrid.STEPS_OF}):", "",
            *table(*hybrid.steps_table())]


# -- cuthomas -------------------------------------------------------------------------------------

def uniform_times(rows, kind, n, batch):
    found = {}
    for name, fields in cuthomas.columns_of(rows):
        here = select(cuthomas.uniform(rows), type=kind, n=n, batch=batch, **fields)
        if here:
            found[name] = here[0]["ms"]
    return found


def sizes(rows, kind):
    return sorted({(r["n"], r["batch"]) for r in cuthomas.uniform(rows) if r["type"] == kind})


def all_times(rows, kind):
    return {size: uniform_times(rows, kind, *size) for size in sizes(rows, kind)}


def first_win(times, fast, slow):
    """Returns, for each length, the batch from which on `fast` stays ahead of `slow`."""
    wins = {}
    for (n, batch), t in sorted(times.items()):
        if fast in t and slow in t:
            wins[n] = None if t[fast] > t[slow] else wins.get(n) or batch
    return wins


def behind(times):
    """Returns what is ahead of `automatic` by more than 2 %: (size, name, ratio)."""
    for size, t in times.items():
        for layout, names in (("automatic", ("thomas as it is", "full", "blocks",
                                             "gtsv2StridedBatch")),
                              ("automatic interleaved", ("thomas interleaved",
                                                         "gtsvInterleavedBatch 0"))):
            for name in names:
                if name in t and t[layout] / t[name] > 1.02:
                    yield size, name, t[layout] / t[name]


LARGE = ((512, 1 << 10), (512, 1 << 14), (512, 1 << 17), (512, 1 << 18), (1024, 1 << 17))


def variable_input_claim(rows, ragged):
    """Compares a variable batch that is interleaved already with one that has to be transformed."""
    claim = "a variable batch that is interleaved already needs no transformation"
    told, ahead = [], []
    for kind, t in zip(KINDS, ragged):
        for layout in cuthomas.INPUTS:
            found = [r for r in select(rows, solver=cuthomas.THOMAS, type=kind, batch=1 << 17, layout=layout)
                     if "ragged" in r["case"]]
            if found:
                ratio = t["transformation packed"] / found[0]["ms"]
                ahead.append(ratio > 1)
                told.append(f"{layout}, {kind}: {ratio:.2f} times as fast as with transformation packed")
    if not ahead:
        return claim, UNKNOWN, "padded and packed input have no times"
    return claim, verdict(ahead), "2^17 systems of 64 to 1024 rows: " + "; ".join(told)


def cuthomas_text(files, sources):
    rows = files[0]["rows"]
    times = {kind: all_times(rows, kind) for kind in KINDS}
    names = [name for name, _ in cuthomas.columns_of(rows)]
    lines = [[f"{n} x {batch}", *(f"{times['f64'][n, batch].get(name, 0):.3f}".replace("0.000", "-")
                                  for name in names)] for n, batch in LARGE]
    peer, thomas = "gtsv2StridedBatch", "thomas interleaved"
    best = [max(t[peer] / t[thomas] for t in times[kind].values() if peer in t) for kind in KINDS]
    wins = {kind: first_win(times[kind], thomas, peer) for kind in KINDS}
    scattered = {kind: first_win(times[kind], "full", "thomas as it is") for kind in KINDS}
    most = max(batch for _, batch in times["f64"])
    share = [t["of which moving"] / t["full"] for kind in KINDS
             for (_, batch), t in times[kind].items() if batch >= most // 2]
    blocks = [t["blocks"] / t["full"] for kind in KINDS for (_, batch), t in times[kind].items()
              if batch >= most // 2]
    whole = [t[peer] / t["full"] for kind in KINDS for (_, batch), t in times[kind].items()
             if batch >= most // 2 and peer in t]
    saturated = [times[kind][512, 1 << 17][peer] / times[kind][512, 1 << 13][peer] for kind in KINDS]
    ragged = [{r["parameter"] or "as it lies": r["ms"] for r in rows if usable(r) and "ragged" in r["case"]
               and r["type"] == kind and r["batch"] == 1 << 17 and r["solver"] == cuthomas.THOMAS
               and r["layout"] not in cuthomas.INPUTS} for kind in KINDS]
    packed = [min(v for k, v in t.items() if "packed" not in k) / t["transformation packed"]
              for t in ragged]
    paper = (6, 5)  # f32, f64
    lost = [(kind, *what) for kind in KINDS for what in behind(times[kind])]
    ahead = "; ".join(f"{name}, {kind}, {n} rows x {batch}: {ratio:.2f}"
                      for kind, (n, batch), name, ratio in lost) or "nowhere"

    def starts(wins_of):
        return "; ".join(f"{kind}: " + ", ".join(f"{n} rows {wins_of[kind][n] or 'never'}"
                                                 for n in sorted(wins_of[kind])) for kind in KINDS)

    lines_of_claims = [
        ("a thread a system on interleaved data beats gtsvStridedBatch on many systems",
         verdict([w is not None for kind in KINDS for w in wins[kind].values()]),
         f"from so many systems on: {starts(wins)}"),
        ("by up to 6 (f32) and 5 times (f64)", verdict([b >= p for b, p in zip(best, paper)])
         if any(b >= p for b, p in zip(best, paper)) else PART if min(best) > 1 else NO,
         "up to " + both(best, "{:.1f}")),
        ("gtsvStridedBatch is saturated by few systems: 16 times as many take 16 times as long",
         verdict([s > 14 for s in saturated]),
         "512 rows, 2^13 to 2^17 systems: " + both(saturated, "{:.1f} times")),
        ("data that does not lie interleaved has to be transformed",
         PART if any(scattered[k][n] for k in KINDS for n in scattered[k]) else NO,
         f"it pays from so many systems on: {starts(scattered)}"),
        ("so transformed, it beats gtsvStridedBatch",
         verdict([w > 1 for w in whole]),
         f"from 2^17 systems on {spread(whole)} times as fast; moving takes {100 * min(share):.0f} to "
         f"{100 * max(share):.0f} % of the time; by blocks of 32 systems it takes {spread(blocks)} times "
         "as long"),
        ("variable batch: packing beats padding", verdict([p > 1 for p in packed]),
         "2^17 systems of 64 to 1024 rows: " + both(packed, "{:.2f} times") + " as fast as the better "
         "of padding and data as it lies"),
        variable_input_claim(rows, ragged),
    ]
    return [f"{measured(files[0], sources[0])} Milliseconds, f64, rows x systems; the whole table is what "
            "`tridia reproduce cuthomas --from` prints.", "",
            *table(["", *names], lines), "", *claims(lines_of_claims), "",
            f"What is ahead of `automatic` by more than 2 %, of all {sum(map(len, times.values()))} sizes: "
            f"{ahead}."]


# -- packing --------------------------------------------------------------------------------------

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


def packing_text(files, sources):
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


# -- neato ----------------------------------------------------------------------------------------

def neato_text(files, sources):
    rows = files[0]["rows"]
    columns = neato.columns_of(rows)
    found = {size: [pick(neato.of_size(rows, size)) for _, pick, _ in columns]
             for size in neato.TABLE_4_1}
    ours = {size: [cell[0]["ms"] if cell else None for cell in cells] for size, cells in found.items()}
    threads = max(cell[0]["threads"] for cells in found.values() for cell in cells[1:2] if cell)
    peer = found[(32, 32)][0][0]["solver"]
    lines = []
    for (n, batch), paper in neato.TABLE_4_1.items():
        cells = []
        for ms, (_, _, column) in zip(ours[n, batch], columns):
            then = paper[column] if column is not None else None
            cells.append(("-" if ms is None else f"{ms:.4g}")
                         + ("" if column is None else f" [{'-' if then is None else f'{then:g}'}]"))
        lines.append([f"{n} x {batch}", *cells])
    head = ["rows x systems", f"{peer}, 1 core [1]", f"{threads} cores [8]", "cuSPARSE", "NEATO, global",
            "NEATO, shared", "automatic"]

    def ratio(a, b):
        return {size: t[a] / t[b] for size, t in ours.items() if t[a] and t[b]}

    def then(a, b):
        return {size: t[a] / t[b] for size, t in neato.TABLE_4_1.items() if t[a] and t[b]}

    shared, planes = ratio(3, 4), [s for s in ours if s[0] == s[1]]
    gains = {name: (ratio(k, 4), then(k, 4)) for name, k in (("one core", 0), ("all cores", 1),
                                                             ("cuSPARSE", 2))}
    lapack = [a["ms"] / b["ms"] for a in rows if usable(a) and a["solver"] == "MKL gtsv"
              for b in rows if usable(b) and b["solver"] == "LAPACKE gtsv"
              and all(a[k] == b[k] for k in ("n", "batch", "threads"))]
    dtsvb = {r["threads"]: r["ms"] for r in select(rows, solver="MKL dtsvb", n=512, batch=262144)}
    named = ratio(5, 4)
    losses = [f"{n} x {b} ({named[n, b]:.2f})" for n, b in named if named[n, b] > 1]
    per_row = {size: 1e6 * t[0] / (size[0] * size[1]) for size, t in ours.items()}
    claims_of = [
        ("shared memory beats global memory in nearly all cases", verdict([v > 1 for v in shared.values()]),
         f"in {sum(v > 1 for v in shared.values())} of {len(shared)} rows, by {spread(shared.values())} "
         "times"),
        ("global memory wins at 2048 x 2048", verdict([shared[2048, 2048] < 1]),
         f"it takes {shared[2048, 2048]:.2f} times as long [{then(3, 4)[2048, 2048]:.2f}]"),
        ("the gain from shared memory diminishes with the size (planes)",
         verdict([shared[a] > shared[b] for a, b in zip(planes, planes[1:])]),
         ", ".join(f"{n}: {shared[n, n]:.1f}" for n, _ in planes)),
        *((f"shared NEATO is faster than {name}", verdict([v > 1 for v in now.values()]),
           f"{spread(now.values(), '{:.3g}')} times; 256 x 65536: {now[256, 65536]:.3g} "
           f"[{was[256, 65536]:.3g}]") for name, (now, was) in gains.items()),
        ("cuSPARSE has no room for 512 x 262144", verdict([ours[512, 262144][2] is None]),
         f"{ours[512, 262144][2]:.3g} ms" if ours[512, 262144][2] else "refused"),
    ]
    return [f"{measured(files[0], sources[0])} f64, milliseconds, in brackets the thesis's (K20; MKL on one "
            f"and eight cores of a Xeon E5-2670 v2). The cores are those of the GPU's host; {peer} is called "
            "once for each system, which has a matrix of its own.", "",
            *table(head, lines), "", *claims(claims_of), "",
            f"MKL's gtsv takes {spread(lapack)} times as long as LAPACK's. MKL's dtsvb, without pivoting, "
            f"takes {dtsvb[1]:.0f} ms on one core and {dtsvb[threads]:.0f} on {threads} for the last row. "
            f"One core takes {spread(per_row.values(), '{:.1f}')} ns a row here, and the thesis's takes "
            f"{spread([1e6 * t[0] / (n * b) for (n, b), t in neato.TABLE_4_1.items() if n * b > 10**6], '{:.1f}')} "
            "where there are more than 10^6 rows. Rows in which shared NEATO is ahead of "
            f"`automatic` (its time over NEATO's): {', '.join(losses) or 'none'}.",
            *(["", *calls_text(files[-1], sources[-1])] if one_call(files[-1]) else [])]


def one_call(results):
    """Returns whether MKL was called once for all right-hand sides of a matrix, too."""
    return bool(select(results["rows"], solver="MKL gtsv, many right-hand sides"))


def calls_text(results, source):
    """Returns what tells which call of MKL the thesis's column is: one for each system, or one for all
    right-hand sides of a matrix."""
    rows, lines = results["rows"], []
    columns = (("MKL gtsv, a call a system", "MKL gtsv"),
               ("MKL gtsv, one call for all", "MKL gtsv, many right-hand sides"),
               ("tridia, constants", "tridia cpu"))
    for (n, batch), paper in neato.TABLE_4_1.items():
        found = [select(rows, solver=solver, threads=1, n=n, batch=batch) for _, solver in columns]
        if all(found):
            lines.append([f"{n} x {batch}",
                          *(f"{1e6 * f[0]['ms_min'] / (n * batch):.2f}" for f in found),
                          f"[{1e6 * paper[0] / (n * batch):.2f}]"])
    remark = f"; {results['remark']}" if results.get("remark") else ""
    return ["Nanoseconds a row by one core, the shortest repetition, for systems with a matrix of their own and "
            f"for right-hand sides of one matrix, as the thesis has them ({results['machine']['device']}, "
            f"{results['date'][:10]}{remark}, [results]({source})). The thesis does not say which call it "
            "timed:", "",
            *table(["rows x systems", *(name for name, _ in columns), "thesis, MKL, 1 core"], lines)]


# -- cluster --------------------------------------------------------------------------------------

def unit_of(solver):
    return "GPU" if "nccl" in solver else "CPU rank"


def scaling_lines(rows, solver, kind, n):
    by_axis = [cluster.scaling_rows(rows, kind, axis, solver=solver) for axis in range(3)]
    groups = sorted({(cluster.ranks_of(r), cluster.directions_split(r)) for r in by_axis[0]
                     if cluster.points_of(r) == n})
    lines = []
    for ranks, split in groups:
        cells = []
        for found in by_axis:
            same = [r for r in found if cluster.points_of(r) == n and cluster.ranks_of(r) == ranks
                    and cluster.directions_split(r) == split]
            cells.append(f"{same[0]['ms']:.4f} ({cluster.gain(found, same[0]):.2f})" if same else "-")
        lines.append([f"{n}^3", str(ranks), cluster.HOW_MANY[split], *cells])
    return lines


def scaling_table(rows, kind):
    """Makes the table of a kind of scaling; one rank has no method."""
    solver, *thesis = cluster.solvers(rows)
    lines = []
    for n in cluster.figure_sizes(rows, solver, kind):
        for by in (solver, *thesis):
            lines += [[*line[:3], *[cluster.method(by)] * bool(thesis), *line[3:]]
                      for line in scaling_lines(rows, by, kind, n) if by == solver or line[1] != "1"]
    unit = unit_of(solver)
    whose = "points in all" if kind == "strong" else f"points a {unit}"
    return table([whose, f"{unit}s", "directions split", *["method"] * bool(thesis),
                  *cluster.DIRECTIONS], lines)


def steps_table(rows):
    steps = cluster.steps_in(rows)
    named = steps is cluster.STEPS
    return table(["points", "direction", "split", *["method"] * named, *steps, "whole"],
                 [[f"{r['n']}^3", cluster.DIRECTIONS[cluster.place(r)[0]], str(cluster.place(r)[1]),
                   *[cluster.method(by)] * named,
                   *(f"{t:.3f}" for t in cluster.steps_of(rows, r, steps)), f"{r['ms']:.3f}"]
                  for by in cluster.solvers(rows) for r in cluster.stepped(rows, by)])


def steps_text(rows):
    """Says what the columns of the table of steps are."""
    if cluster.steps_in(rows) is cluster.STEPS:
        return ("those of the thesis on rank 0, which gathers, but for the permutation, which is not done "
                "here (`automatic` sends sums in place of a halo, and does right-hand sides, solve and sum in "
                "one, `primary`)")
    return ("`reduce` makes the sums that other ranks need, `interface` is their messages, `expand` is "
            "right-hand side, solve and sum in one")


def shares(rows, solver, step):
    """Returns the shares of a step in the derivatives of figures 4.5 and 4.6."""
    steps = cluster.steps_in(rows)
    times = [cluster.steps_of(rows, r, steps) for r in cluster.stepped(rows, solver)]
    return [t[steps.index(step)] / sum(t) for t in times]


def percent(values):
    return spread([100 * v for v in values], "{:.0f}") + " %"


def primary_claim(rows):
    """Returns the verdict on the claim about primary systems: of the thesis's method, where it was
    measured, whose other steps are told apart."""
    solver, *thesis = cluster.solvers(rows)
    own = shares(rows, solver, "primary" if cluster.steps_in(rows) is cluster.STEPS else "expand")
    text = f"right-hand side, solve and sum in one step: {percent(own)}"
    if not thesis:
        return verdict([s > 0.5 for s in own]), text
    found = shares(rows, thesis[0], "primary")
    return verdict([s > 0.5 for s in found]), f"`gather`: {percent(found)}; `automatic`, {text}"


def beside_thesis(rows):
    """Returns a sentence about the thesis's method beside `automatic`, if it was measured."""
    solver, *thesis = cluster.solvers(rows)
    if not thesis:
        return []
    told = []
    for kind in ("strong", "weak"):
        times = {(r["solver"], r["n"], r["batch"], r["layout"]): r["ms"]
                 for by in (solver, *thesis) for r in cluster.scaling_rows(rows, kind, solver=by)}
        ratios = [ms / times[solver, *case] for (by, *case), ms in times.items()
                  if by in thesis and (solver, *case) in times]
        told.append(f"{spread(ratios)} ({kind})")
    return ["The thesis's own method (`strategy::gather`) takes " + " and ".join(told)
            + " times as long as `automatic` on the same ranks.", ""]


def gains_of(rows, solver, kind, n):
    gains = []
    for axis in range(3):
        found = cluster.scaling_rows(rows, kind, axis, solver=solver)
        gains += [cluster.gain(found, r) for r in found
                  if cluster.points_of(r) == n and cluster.ranks_of(r) > 1]
    return [g for g in gains if g]


def cluster_text(files, sources):
    results = files[0]
    rows, solver = results["rows"], cluster.main_solver(results["rows"])
    scheme = cluster.scheme_of(rows)
    head, body = cluster.table_4_2(rows)
    head_11, body_11 = cluster.figure_4_11(rows)
    strong = {n: gains_of(rows, solver, "strong", n)
              for n in cluster.figure_sizes(rows, solver, "strong")}
    weak = {n: gains_of(rows, solver, "weak", n)
            for n in cluster.figure_sizes(rows, solver, "weak")}
    few, many = min(strong), max(strong)
    faster = cluster.gpu_gains(rows)
    most, unit = cluster.most_ranks(rows, solver), unit_of(solver)
    lines = [
        ("strong scaling: more GPUs are faster", verdict([g > 1 for v in strong.values() for g in v]),
         "; ".join(f"{n}^3 on {most} {unit}s goes {spread(v)} times as fast as on one"
                   for n, v in strong.items())),
        ("it is better for larger problems", verdict([min(strong[many]) > max(strong[few])]),
         f"{few}^3: {spread(strong[few])}; {many}^3: {spread(strong[many])}"),
        ("weak scaling: as many points a GPU take as long on more GPUs", verdict([g > 0.9 for v in weak.values() for g in v]),
         "; ".join(f"{n}^3 a {unit}: {spread(v)}" for n, v in weak.items())),
        ("the primary systems take most of the time of large problems", *primary_claim(rows)),
        ("in y and z, permuting the data takes a significant part", NO, "nothing is permuted"),
        ("a GPU is 3.4 to 9.1 times as fast as eight cores",
         verdict([g >= 3.4 for g in faster.values()]) if faster else UNKNOWN,
         ", ".join(f"{n}^3 on {g} GPU{'s' * (g > 1)}: {v:.0f}" for (n, g), v in faster.items())),
    ]
    return [f"{measured(results, sources[0])} First derivatives by {scheme}, f64; the thesis's scheme is C4 "
            f"closed by 3-4-3{'' if scheme.startswith('C4') else ', which this run does not have'}. "
            f"Milliseconds, and in brackets the speed-up or efficiency against one {unit} of the same run. CPU "
            f"cores are those of the same machine ({results['host']['device']}, "
            f"{results['host']['cores']} cores).", "",
            "Figures 4.7 and 4.8, strong scaling:", "", *scaling_table(rows, "strong"), "",
            "Figures 4.9 and 4.10, weak scaling:", "", *scaling_table(rows, "weak"), "", *beside_thesis(rows),
            f"Figures 4.5 and 4.6, steps on {most} {unit}s (64 in the thesis): {steps_text(rows)}:", "",
            *steps_table(rows), "",
            "Table 4.2, a derivative in the fastest direction, in brackets the thesis's (K20; K40 as well "
            "for the largest sizes):", "", *table(head, body), "",
            "Figure 4.11, times as fast as eight cores for each GPU:", "", *table(head_11, body_11), "",
            *claims(lines)]


# -------------------------------------------------------------------------------------------------

TEXTS = {"hybrid": hybrid_text, "cuthomas": cuthomas_text, "packing": packing_text,
         "neato": neato_text, "cluster": cluster_text}


def text(name, files, sources):
    """Returns the lines of an experiment's part of the page."""
    return TEXTS[name](files, sources)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="EXPERIMENT=FILE[,FILE]")
    good = True
    for argument in parser.parse_args().files:
        name, _, paths = argument.partition("=")
        if name not in TEXTS or not paths:
            parser.error(f"{argument}: it is not one of {', '.join(TEXTS)} with a file")
        paths = paths.split(",")
        lines = text(name, [load(p) for p in paths], [f"../{source_of(p)}" for p in paths])
        good &= put_between(PAGE, f"{NAME} {name}", lines)
    return 0 if good else 2


if __name__ == "__main__":
    sys.exit(main())
