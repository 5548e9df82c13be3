#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/device.md from what `tridia bench inside` has measured.

    bench/inside_tables.py FILE.json

writes the part of docs/device.md between the two lines that name this script.
"""

import argparse

from readme import ROOT, number, put_between, table
from report import load, machine_line, select

NAME = "bench/inside_tables.py"
PAGE = ROOT / "docs/device.md"
LAYOUTS = ("contiguous", "interleaved")
STEP, PROFILE, TRACERS, LOADED = ("implicit step", "implicit step, one K for all lines",
                                  "implicit step, 4 tracers", "rows in memory")
INSIDE, NO_INPUTS, WRITTEN, PLAN = ("solve_lines", "solve_lines, no inputs", "rows written, plan",
                                    "plan")


def find(rows, **fields):
    """Returns the usable row that has these fields, or None."""
    return next(iter(select(rows, **fields)), None)


def over_floor(row):
    return number(row["ms"] / row["floor_ms"]) if row else "-"


def ratio(a, b):
    return number(a["ms"] / b["ms"]) if a and b else "-"


def text(results, source):
    rows = results["rows"]
    sizes = dict.fromkeys((r["n"], r["batch"]) for r in rows if r["case"] == STEP)
    lines = []
    for n, batch in sizes:
        for layout in LAYOUTS:
            at = {"n": n, "batch": batch, "layout": layout}
            step = find(rows, case=STEP, solver=INSIDE, **at)
            loaded = find(rows, case=LOADED, solver=INSIDE, **at)
            lines.append([f"{n} x {batch}, {layout}", over_floor(step),
                          over_floor(find(rows, case=STEP, solver=NO_INPUTS, **at)),
                          ratio(find(rows, case=STEP, solver=WRITTEN, **at), step),
                          over_floor(find(rows, case=PROFILE, solver=INSIDE, **at)),
                          over_floor(find(rows, case=TRACERS, solver=INSIDE, **at)),
                          over_floor(loaded),
                          ratio(loaded, find(rows, case=LOADED, solver=PLAN, **at))])
    head = ["rows x lines", "u and K read, u written: x of 3 words", "the same without inputs",
            "rows written, then a plan: times as long",
            "one K for all lines: x of 2 words", "4 tracers that share K: x of 9 words",
            "rows in memory: x of 5 words", "the same against `tridia::plan`"]
    return [f"Steps of an implicit diffusion in f64 by `solve_lines`, without pivoting, in multiples of a copy of "
            f"the words that they must move; measured on an {machine_line(results)}, "
            f"{results['date'][:10]} ([results]({source})).", "", *table(head, lines)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="a file of results, from the root of the tree")
    file = parser.parse_args().file
    put_between(PAGE, NAME, text(load(file), f"../{file}"))


if __name__ == "__main__":
    main()
