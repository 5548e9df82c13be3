#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables and the plot of compact schemes from what `tridia bench derive` measured.

    bench/readme_derive.py GPU.json CPU.json

writes docs/derive-speed.png and, between the lines that name this script, a part of
docs/performance.md and one of docs/compact.md. The second file is of a CPU, SciPy's rows among them. Needs matplotlib (python3 -m
pip install matplotlib).
"""

import argparse
import re
import sys
from pathlib import Path

import targets_cuda
from readme import INK, OURS, PEER, ROOT, number, put_between, source_of, table
from report import load, machine_line, select

PLOT = Path("docs/derive-speed.png")
NAME = "bench/readme_derive.py"

LAYOUTS = ("interleaved", "middle", "contiguous")  # the axes 0, 1, 2
SCHEMES = tuple([("C6 first derivative", n, boundary)
                 for n in (256, 512, 1024) for boundary in ("regular", "periodic")]
                + [("C8 first derivative", 512, "regular"), ("C6 second derivative", 512, "regular"),
                   ("F10 filter", 512, "regular")])
LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)

# Each entry has a peer's name in the file, its name for readers, and its marks in the plot.
GPU_PEERS = (("tridia cuda, neato", "NEATO", "s", "#2a8a57"),
             ("cuSPARSE gtsv2StridedBatch", "cuSPARSE", "^", PEER))
CPU_PEERS = (("LAPACKE gttrs", "LAPACK dgttrs", "s", "#2a8a57"),
             ("SciPy solve_banded", "SciPy solve_banded", "^", PEER),
             ("SciPy dgttrs", "SciPy dgttrs", "v", "#8a5a9c"))
AXES = (("o", "axis 0"), ("D", "axis 1"), ("P", "axis 2"))
HEAD = ["times a copy", *(name for _, name in AXES)]


def fastest(rows, solver, **fields):
    return min((r["ms"] for r in select(rows, solver=solver, **fields)), default=None)


def copy_ms(rows, of):
    """Returns the milliseconds of copying a field on a GPU."""
    return fastest(rows, "copy", case=f"device copy, {of}")


def times(ms, copy):
    return ms / copy if ms and copy else None


def gpu_times(rows, solver, scheme, layout):
    """Returns the multiple of a copy of the same field in the same run."""
    case, n, boundary = scheme
    return times(fastest(rows, solver, case=case, n=n, boundary=boundary, layout=layout),
                 copy_ms(rows, f"{n}^3"))


def cpu_times(rows, solver, boundary, layout, threads):
    """Returns the multiple of reading and writing the field at the best rate of as many threads."""
    found = select(rows, solver=solver, case="C6 first derivative", n=256, boundary=boundary,
                   layout=layout, threads=threads)
    return times(found[0]["ms"], found[0]["floor_ms"]) if found else None


def scheme_name(scheme):
    case, n, boundary = scheme
    return f"{case}, {n}^3" + (", periodic" if boundary == "periodic" else "")


def by_axis(groups, solver, peers):
    """Makes a line per group for the library, and for each peer that has rows of it. Groups are a
    name and a function of a solver and a layout, which returns the multiple of a copy."""
    lines = []
    for name, value in groups:
        for who, called in ((solver, ""), *((p[0], f": {p[1]}") for p in peers)):
            line = [value(who, layout) for layout in LAYOUTS]
            if any(line):
                lines.append([name + called] + [number(v) for v in line])
    return lines


def gpu_groups(rows):
    return [(scheme_name(s), lambda solver, layout, s=s: gpu_times(rows, solver, s, layout))
            for s in SCHEMES]


def cpu_groups(rows):
    groups = []
    for threads in sorted({r["threads"] for r in rows if r["solver"] == "tridia cpu"}):
        for boundary, closed in (("regular", "3-4-6-4-3"), ("periodic", "periodic")):
            name = f"{closed}, " + ("one thread" if threads == 1 else f"{threads} threads")
            groups.append((name, lambda solver, layout, b=boundary, t=threads: cpu_times(
                rows, solver, b, layout, t)))
    return groups


def gpu_table(rows, peers=GPU_PEERS):
    lines = by_axis(gpu_groups(rows), "tridia cuda", peers)
    for case in ("C6 gradient", "C6 divergence", "C6 Laplacian"):
        if row := fastest(rows, "tridia cuda", case=case):
            lines.append([f"{case}, 512^3", f"{number(times(row, copy_ms(rows, '512^3')))} in all", "", ""])
    return table(HEAD, lines)


def cpu_table(rows):
    return table(HEAD, by_axis(cpu_groups(rows), "tridia cpu", CPU_PEERS))


def constants_table(rows):
    """Makes the table of solves with a near-Toeplitz matrix by the length of its lines."""
    copy = copy_ms(rows, "2^26")
    lines = [[layout if layout != "middle" else "middle axis"]
             + [number(times(fastest(rows, "tridia cuda", case="near-Toeplitz", n=n, layout=layout),
                             copy)) for n in LENGTHS]
             for layout in ("contiguous", "interleaved", "middle")]
    return table(["rows of a system", *(str(n) for n in LENGTHS)], lines)


def draw_panel(panel, groups, solver, peers, title):
    panel.axhline(1, color=INK, linewidth=0.8)
    marks = [(solver, OURS, None), *((p[0], p[3], p[2]) for p in peers)]
    for place, (_, value) in enumerate(groups):
        for who, colour, mark in marks:
            for axis, layout in enumerate(LAYOUTS):
                height = value(who, layout)
                if height:
                    panel.plot(place + 0.22 * (axis - 1), height, mark or AXES[axis][0],
                               color=colour, markersize=5)
    panel.set_xticks(range(len(groups)), [broken(name) for name, _ in groups], fontsize=7)
    panel.set_yscale("log")
    panel.grid(axis="y", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    panel.set_title(title, fontsize=10, loc="left")


def broken(name):
    """Breaks text into lines."""
    for words, line in ((" first derivative", ""), (" second derivative", "''"), (" filter", "")):
        name = name.replace(words, line)
    return name.replace(", ", "\n")


def legend(panel, peers, drawn):
    from matplotlib.lines import Line2D

    entries = [Line2D([], [], marker=mark, linestyle="", color=OURS, label=f"tridia, {name}")
               for mark, name in AXES]
    entries += [Line2D([], [], marker=mark, linestyle="", color=colour, label=name)
                for solver, name, mark, colour in peers if solver in drawn]
    panel.legend(handles=entries, fontsize=8, frameon=False, ncols=2)


def draw(gpu, cpu, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    figure, panels = pyplot.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained",
                                     width_ratios=(2, 1))
    draw_panel(panels[0], gpu_groups(gpu["rows"]), "tridia cuda", GPU_PEERS,
               gpu["machine"]["device"])
    draw_panel(panels[1], cpu_groups(cpu["rows"]), "tridia cpu", CPU_PEERS,
               "C6 of 256^3, " + re.sub(r"\(R\)| Processor", "", cpu["machine"]["device"]))
    panels[0].set_ylabel("time, times a copy of the field")
    panels[0].yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    panels[0].yaxis.set_major_formatter(ticker.ScalarFormatter())
    panels[0].yaxis.set_minor_locator(ticker.NullLocator())
    for panel, peers, results in zip(panels, (GPU_PEERS, CPU_PEERS), (gpu, cpu)):
        legend(panel, peers, {r["solver"] for r in results["rows"]})
    figure.savefig(path, dpi=130, metadata={"Software": None})
    pyplot.close(figure)


def met(rows):
    """Says in words how many of the targets are met."""
    judged = targets_cuda.judge(rows, targets_cuda.DERIVE_TARGETS)
    measured = [j for j in judged if j.value is not None]
    good = [j for j in measured if j.met]
    return f"{len(good)} of {len(measured)} measured targets are met"


def performance_text(gpu, cpu, sources):
    remark = f" ({cpu['remark']})" if cpu.get("remark") else ""
    return [
        "Compact schemes, f64: times a copy of the same field in the same run, along each axis of a "
        f"cube (axis 2 is contiguous). On an {machine_line(gpu)}, {gpu['date'][:10]} "
        f"([results](../{sources[0]})); peers go after a kernel of right-hand sides:",
        "", *gpu_table(gpu["rows"]), "",
        f"![Times a copy: compact schemes on a GPU and a CPU]({PLOT.name})", "",
        f"C6 first derivative of 256^3 on an {machine_line(cpu)}, {cpu['date'][:10]} "
        f"([results](../{sources[1]})){remark}; LAPACK and SciPy with right-hand sides made as "
        "their users would:",
        "", *cpu_table(cpu["rows"])]


def docs_text(gpu, source):
    return ["Constant coefficients alone (a near-Toeplitz matrix, 2^26 rows), times a copy "
            f"([results](../{source})):", "",
            *constants_table(gpu["rows"]), "",
            "Asked for are 1.08 here, 1.10 of first derivatives by C6, 1.12 of C8, of second derivatives "
            f"and of filters, 3.2 of the gradient, and 5 times the speed of the peers: {met(gpu['rows'])}."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gpu", help="what tridia bench derive --device cuda --json wrote")
    parser.add_argument("cpu", help="what tridia bench derive --json wrote")
    arguments = parser.parse_args()
    gpu, cpu = load(arguments.gpu), load(arguments.cpu)
    draw(gpu, cpu, ROOT / PLOT)
    sources = [source_of(path) for path in (arguments.gpu, arguments.cpu)]
    good = [put_between(ROOT / "docs/performance.md", NAME, performance_text(gpu, cpu, sources)),
            put_between(ROOT / "docs/compact.md", NAME, docs_text(gpu, sources[0]))]
    return 0 if all(good) else 2


if __name__ == "__main__":
    sys.exit(main())
