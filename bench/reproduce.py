#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Repeats an experiment of the papers on this machine's GPU.

    tridia reproduce hybrid|cuthomas|packing|neato [--json FILE] [--png FILE] [OPTIONS of tridia_bench]
    tridia reproduce NAME --from FILE.json        shows what was measured before

runs tridia_bench, which lies beside this program, prints the experiment's table with the paper's own
figures, and writes the measurements (NAME.json) and a picture of them (NAME.png, by matplotlib).
"""

import argparse
import json
import math
import subprocess
import sys
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


# -------------------------------------------------------------------------------------------------

EXPERIMENTS = {"hybrid": (show_hybrid, draw_hybrid), "cuthomas": (show_cuthomas, draw_cuthomas),
               "packing": (show_packing, draw_packing), "neato": (show_neato, draw_neato)}


def measure(name, path, options):
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
                                     epilog="Other options go to tridia_bench.")
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
