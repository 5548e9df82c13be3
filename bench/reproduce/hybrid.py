# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Shows hybrids on one GPU: switch points, and all solvers on 1024 systems of 1024 rows."""

import math

from measurements import COLOURS, INK, fraction, ms, number, select, short, table, times_floor

HYBRIDS = ("cr_pcr", "pcr_thomas")


def switch_points(rows, kind, solver):
    found = select(rows, type=kind, solver=f"tridia cuda, {solver}")
    return {number(r["parameter"]): r for r in found if r["parameter"]}


def show(rows):
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


def draw(rows, figure):
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
