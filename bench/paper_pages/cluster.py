# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the part of cluster: Srinath, 2015, figures 4.5 to 4.11 and table 4.2."""

import cluster
from readme import table

from .claims import NO, UNKNOWN, claims, measured, spread, verdict


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


def text(files, sources):
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
