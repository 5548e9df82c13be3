#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the table of solves on CPUs from what `tridia bench solve` measured there.

    bench/cpu_tables.py bench/results/CPU/NAME.json ...

writes the part of docs/performance.md between the two lines that name this script. Runs on one machine
share its lines, a figure each.
"""

import argparse
import sys

from readme import ROOT, put_between, source_of, table
from report import load, select

NAME = "bench/cpu_tables.py"
PAGE = ROOT / "docs/performance.md"
ROWS, SYSTEMS = 512, 16384
CASES = tuple((layout, pivoting) for layout in ("contiguous", "interleaved")
              for pivoting in ("none", "partial"))


def solve(results, layout, pivoting):
    """Returns the library's row of dominant systems with all cores, or None."""
    found = select(results["rows"], solver="tridia cpu", case="dominant", type="f64", n=ROWS,
                   batch=SYSTEMS, layout=layout, pivoting=pivoting, boundary="regular",
                   threads=results["machine"]["cores"])
    return found[0] if found else None


def peers(results, ours):
    """Returns how many times as long each peer takes for the same systems, with as many threads. A peer
    without pivoting is no peer of a solve with it."""
    named = {r["solver"]: r["ms"] / ours["ms"] for r in results["rows"]
             if not r["solver"].startswith("tridia") and r["solver"] != "copy" and r["ms"]
             and all(r[k] == ours[k] for k in ("case", "type", "n", "batch", "layout", "threads"))
             and (ours["pivoting"] == "none" or r["pivoting"] == "partial")}
    return dict(sorted(named.items(), key=lambda item: item[1]))


def against(runs, rows):
    """Returns the cell about peers: each run's ratio to each of them, the fastest first."""
    ratios = [peers(results, row) for results, row in zip(runs, rows)]
    return "; ".join(f"{', '.join(f'{r[name]:.1f}' for r in ratios)} times {name}"
                     for name in ratios[0] if all(name in r for r in ratios))


def machines(files):
    """Returns the runs of each machine, in the order of the files."""
    by = {}
    for results in files:
        m = results["machine"]
        by.setdefault(f"{m['device']}, {m['cores']} cores, {m['simd']}", []).append(results)
    return by


def text(files, sources):
    lines, notes = [], []
    for machine, runs in machines(files).items():
        for layout, pivoting in CASES:
            rows = [solve(results, layout, pivoting) for results in runs]
            if None in rows:
                continue
            lines.append([machine, layout, pivoting,
                          ", ".join(f"{r['roofline_fraction']:.2f}" for r in rows),
                          ", ".join(f"{r['ms']:.1f}" for r in rows), against(runs, rows)])
        if len(runs) > 1:
            floors = ", ".join(f"{solve(r, 'contiguous', 'none')['floor_ms']:.1f}" for r in runs)
            notes += [f"Figures of several runs on the {machine.split(',')[0]} stand beside each other: its "
                      f"copy by all cores took {floors} ms, by what else the host did.", ""]
    which = ", ".join(f"[{r['machine']['device']}, {r['date'][:10]}]({s})"
                      for r, s in zip(files, sources))
    return [f"f64, {SYSTEMS} systems of {ROWS} rows, dominant, all cores ({which}):", "",
            *table(["machine", "layout", "pivoting", "roofline fraction", "ms", "peers take"], lines), "",
            *notes]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="what tridia bench solve --json wrote")
    paths = parser.parse_args().files
    lines = text([load(p) for p in paths], [f"../{source_of(p)}" for p in paths])
    return 0 if put_between(PAGE, NAME, lines) else 2


if __name__ == "__main__":
    sys.exit(main())
