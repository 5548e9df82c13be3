# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Shows hybrids on one GPU: switch points, and all solvers on 1024 systems of 1024 rows."""

import math

from measurements import COLOURS, INK, fraction, ms, number, select, short, table, times_floor

HYBRIDS = ("cr_pcr", "pcr_thomas")
ROWS = 1024
STEPS_OF = "a step is what a system's rows do at once, and its work the rows that take part"


def steps_and_work(name, n, switch):
    """Returns the steps of an algorithm for n rows, a power of two, and the most and the fewest rows
    that take part in one, as the poster's table and pictures count them. `switch` is the number of
    rows of the intermediate system of a hybrid."""
    levels = int(math.log2(n))
    if name == "thomas":
        return 2 * n, 1, 1
    if name == "pcr":
        return levels, n, n
    if name == "cr":
        return 2 * levels, n // 2, 1
    left = int(math.log2(switch))
    if name == "cr_pcr":
        steps = 2 * (levels - left) + left
        return (steps, max(n // 2, switch), switch) if left else steps_and_work("cr", n, switch)
    return (levels - left) + 2 * switch, n, n // switch  # pcr_thomas


def steps_table():
    """Returns the head and the lines of the poster's table, with its hybrids: for its example of eight
    rows (whose intermediate systems have four and two), and for the systems that are measured."""
    lines = []
    for title, name, switches in (("Thomas", "thomas", (0, 0)), ("CR", "cr", (0, 0)),
                                  ("PCR", "pcr", (0, 0)), ("CR-PCR", "cr_pcr", (4, 256)),
                                  ("PCR-Thomas", "pcr_thomas", (2, 32))):
        cells = []
        for n, switch in zip((8, ROWS), switches):
            steps, most, least = steps_and_work(name, n, switch)
            cells += [str(steps), f"{most}" if most == least else f"{most} to {least}"]
        lines.append([title + (f" (switch points {switches[0]}, {switches[1]})" if switches[0] else ""),
                      *cells])
    return ["", "8 rows: steps", "work a step", f"{ROWS} rows: steps", "work a step"], lines


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
    print(f"steps and work by algorithm: {STEPS_OF}")
    table(*steps_table())


def show_solvers(rows, kind):
    moved = select(rows, type=kind, solver="transfer")
    transfer = moved[0]["ms"] if moved else math.nan
    on_gpu = select(rows, type=kind, solver="tridia cuda")
    automatic = on_gpu[0]["ms"] if on_gpu else math.nan
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
    """Draws the poster's two pictures: times against the switch point, and all solvers."""
    figure.set_size_inches(10, 8.8)
    panels = figure.subplots(2, 2)
    for panel, kind in zip(panels[1], ("f32", "f64")):
        draw_solvers(panel, rows, kind)
    for panel, kind in zip(panels[0], ("f32", "f64")):
        for colour, solver in zip(COLOURS, HYBRIDS):
            points = sorted(switch_points(rows, kind, solver).items())
            panel.plot([p for p, _ in points], [r["ms"] for _, r in points], marker="o",
                       color=colour, label=solver)
        for r in select(rows, type=kind, solver="tridia cuda"):
            panel.axhline(r["ms"], color=INK, linewidth=0.8, label="automatic")
        panel.set(xscale="log", xlabel="switch point: rows of the intermediate system",
                  ylabel="ms", title=f"1024 systems of 1024 rows, {kind}")
        panel.set_xscale("log", base=2)
        if panel.get_legend_handles_labels()[0]:
            panel.legend()


def draw_solvers(panel, rows, kind):
    """Draws a bar for each solver, and for those of a GPU the transfer after it."""
    moved = select(rows, type=kind, solver="transfer")
    found = [r for r in select(rows, type=kind)
             if not r["parameter"] and r["solver"] not in ("copy", "transfer")]
    names = [short(r) + ("" if r["threads"] is None else f", {r['threads']} threads") for r in found]
    panel.barh(names, [r["ms"] for r in found], color=COLOURS[0], label="solve")
    if moved:
        on_gpu = [r for r in found if r["threads"] is None]
        panel.barh([short(r) for r in on_gpu], [moved[0]["ms"]] * len(on_gpu),
                   left=[r["ms"] for r in on_gpu], color=COLOURS[1], alpha=0.5, label="transfer")
    panel.set(xscale="log", xlabel="ms", title=f"all solvers, {kind}")
    if found:
        panel.set_xlim(left=min(r["ms"] for r in found) / 3)
    panel.invert_yaxis()
    panel.tick_params(axis="y", labelsize=7)
    panel.legend(fontsize=7)
