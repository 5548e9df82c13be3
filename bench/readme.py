#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables and the plot of solves on a GPU from what `tridia bench` measured there.

    bench/readme.py bench/results/nvidia-h200/DATE.json

writes docs/gpu-speed.png, and the parts of README.md (four rows) and of docs/performance.md between the
two lines that name this script.
Needs matplotlib (python3 -m pip install matplotlib).
"""

import argparse
import sys
from pathlib import Path

from report import load, machine_line, select

ROOT = Path(__file__).resolve().parent.parent
PLOT = Path("docs/gpu-speed.png")
NAME = "bench/readme.py"

LENGTHS = (8, 16, 32, 33, 64, 100, 127, 128, 256, 500, 512, 1000, 1024, 2048, 4096, 8192,
           16384)
IN_TABLE = (8, 16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384)
LAYOUTS = ("contiguous", "interleaved")
OURS, PEER, INK = "#1f5fb4", "#c2620e", "#444444"


def times_floor(rows, peer=False, case="dominant", boundary="regular", **fields):
    """Returns the library's, or the fastest cuSPARSE routine's, multiple of the floor, or None."""
    found = [r["ms"] / r["floor_ms"]
             for r in select(rows, case=case, boundary=boundary, **fields)
             if r["floor_ms"] and r["solver"].startswith("cuSPARSE" if peer else "tridia")]
    return min(found, default=None)


def series(rows, **fields):
    """Returns lengths, and multiples of the floor."""
    points = [(n, times_floor(rows, n=n, **fields)) for n in LENGTHS]
    return zip(*[p for p in points if p[1] is not None])


def draw(results, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    rows = results["rows"]
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for panel, where in zip(panels, LAYOUTS):
        panel.axhline(1, color=INK, linewidth=0.8)
        for peer, colour in ((True, PEER), (False, OURS)):
            for kind, style in (("f64", "-"), ("f32", "--")):
                # The library's solves are those without pivoting; cuSPARSE's are of the fastest
                # routine, whatever it does.
                extra = {} if peer else {"pivoting": "none"}
                points = list(series(rows, peer=peer, layout=where, type=kind, **extra))
                name = "cuSPARSE, its fastest" if peer else "tridia"
                if points:
                    panel.plot(*points, style, color=colour, marker="o", markersize=3,
                               linewidth=1.6, label=f"{name}, {kind}")
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_xticks([8, 32, 128, 512, 2048, 8192])
        panel.xaxis.set_major_formatter(ticker.ScalarFormatter())
        panel.set_yticks([1, 2, 5, 10, 20, 50])
        panel.yaxis.set_major_formatter(ticker.ScalarFormatter())
        panel.yaxis.set_minor_locator(ticker.NullLocator())
        panel.grid(color="#dddddd", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_title(where, fontsize=10, loc="left")
        panel.set_xlabel("rows of a system")
    panels[0].set_ylabel("time, times the floor")
    panels[0].legend(fontsize=8, frameon=False)
    figure.suptitle(f"{results['machine']['device']}: 2^26 rows f64, 2^27 f32; "
                    "the floor reads four arrays and writes one", fontsize=10, x=0.01, ha="left")
    figure.savefig(path, dpi=150, metadata={"Software": None})
    pyplot.close(figure)


def number(value):
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def table(head, lines):
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return ["| " + " | ".join(line) + " |" for line in (head, rule, *lines)]


def by_length(rows):
    """Makes the table of multiples of the floor for every length, f64."""
    head = ["rows"]
    for where in LAYOUTS:
        head += [f"{where}: none", "partial", "random", "cuSPARSE"]
    lines = []
    for n in IN_TABLE:
        line = [str(n)]
        for where in LAYOUTS:
            at = {"type": "f64", "n": n, "layout": where}
            line += [number(times_floor(rows, pivoting="none", **at)),
                     number(times_floor(rows, pivoting="partial", **at)),
                     number(times_floor(rows, pivoting="partial", case="random", **at)),
                     number(times_floor(rows, peer=True, **at))]
        lines.append(line)
    return table(head, lines)


OTHERS = (
    ("middle axis, 512 rows", {"n": 512, "layout": "middle", "pivoting": "none"}),
    ("ragged, 32 to 1024 rows", {"case": "dominant, ragged from 32", "pivoting": "none"}),
    ("shared coefficients, 512 rows: execute",
     {"case": "dominant, shared coefficients", "layout": "contiguous"}),
    ("shared coefficients, 512 rows: solve with saved factors",
     {"case": "dominant, shared coefficients, saved factors", "layout": "contiguous"}),
    ("one system of 2^24 rows", {"n": 2**24, "batch": 1, "pivoting": "none"}),
    ("one system of 2^24 rows, partial pivoting, random",
     {"n": 2**24, "batch": 1, "pivoting": "partial", "case": "random"}),
    ("one system of 2^27 rows", {"n": 2**27, "batch": 1, "pivoting": "none"}),
)


def others(rows):
    """Makes the table of the cases that are not about lengths."""
    lines = []
    for name, fields in OTHERS:
        line = [times_floor(rows, type=kind, peer=peer, **fields)
                for kind in ("f64", "f32") for peer in (False, True)]
        if any(value is not None for value in line):
            lines.append([name] + [number(value) for value in line])
    return table(["case", "f64", "cuSPARSE", "f32", "cuSPARSE"], lines)


FEW = (
    ("512 rows", {"n": 512, "layout": "contiguous", "pivoting": "none"}),
    ("512 rows, interleaved", {"n": 512, "layout": "interleaved", "pivoting": "none"}),
    ("512 rows that need pivoting",
     {"n": 512, "layout": "contiguous", "pivoting": "partial", "case": "random"}),
    ("one system of 2^24 rows", {"n": 2**24, "batch": 1, "pivoting": "none"}),
)


def short_text(results, source):
    """Returns the rows that the README shows. cuSPARSE's routines for systems in memory order are
    those without pivoting; for random ones there is none."""
    rows = results["rows"]
    lines = []
    for name, fields in FEW:
        peer = {k: v for k, v in fields.items() if k != "pivoting"}
        lines.append([name, number(times_floor(rows, type="f64", **fields)),
                      number(times_floor(rows, type="f64", peer=True, **peer))])
    return [
        f"f64 on an {machine_line(results)}, {results['date'][:10]} ([results]({source})), times the "
        "floor: the time in which four arrays are read and one is written.",
        "", *table(["", "tridia", "fastest of cuSPARSE"], lines), "",
        f"![Times the floor against the length of the systems: tridia and cuSPARSE]({PLOT})"]


def text(results, source):
    rows = results["rows"]
    return [
        f"Times the floor, f64, 2^26 rows, on an {machine_line(results)}, {results['date'][:10]} "
        f"([results]({source})): without pivoting, with partial pivoting (the default), with "
        "partial pivoting on random systems that need it, and the fastest of cuSPARSE's routines.",
        "", *by_length(rows), "",
        f"![Times the floor against the length of the systems: tridia and cuSPARSE]({PLOT.name})",
        "", *others(rows)]


def put_between(page, script, lines):
    """Replaces the part of a page between the two comments that name the script."""
    begin, end = f"<!-- begin: {script} -->", f"<!-- end: {script} -->"
    old = page.read_text(encoding="utf-8")
    try:
        before, rest = old.split(begin)
        after = rest.split(end)[1]
    except (ValueError, IndexError):
        print(f"{script}: {page} does not have one line {begin} and one {end}", file=sys.stderr)
        return False
    page.write_text(before + "\n".join([begin, *lines, end]) + after, encoding="utf-8")
    return True


def source_of(path):
    """Returns the path of a file of results, as a page at the root refers to it."""
    path = Path(path).resolve()
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="what tridia bench solve --device cuda --json wrote")
    path = parser.parse_args().file
    results = load(path)
    draw(results, ROOT / PLOT)
    source = source_of(path)
    good = [put_between(ROOT / "README.md", NAME, short_text(results, source)),
            put_between(ROOT / "docs/performance.md", NAME, text(results, f"../{source}"))]
    return 0 if all(good) else 2


if __name__ == "__main__":
    sys.exit(main())
