#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/gpu from what `tridia bench` measured on a GPU.

    bench/gpu_tables.py SOLVE.json DERIVE.json

writes every part of the pages in docs/gpu that stands between two lines with the name of this script and
of a table. The first file is from `tridia bench solve --device cuda`, the second one from `tridia bench
derive --device cuda`. The constants below name the files of another card and of an earlier change.
"""

import argparse
import sys
from pathlib import Path

from readme import IN_TABLE, LAYOUTS, ROOT, number, put_between, source_of, table, times_floor
from readme_derive import constants_table, gpu_table
from report import load, machine_line, select

NAME = "bench/gpu_tables.py"
PAGES = ROOT / "docs/gpu"
TO_ROOT = "../../"

OTHER_CARD = "bench/results/nvidia-h100/2026-11-25.json"
BEFORE_SCALING = "bench/results/nvidia-h200/2026-11-23.json"
AFTER_SCALING = "bench/results/nvidia-h200/2026-11-24.json"

REALS = ("f64", "f32")
ALL_LENGTHS = tuple(sorted({*IN_TABLE, 32, 128}))
ONE_SYSTEM = (2**24, 2**26, 2**27)

NONE = {"pivoting": "none"}
PARTIAL = {"pivoting": "partial"}
RANDOM = {"pivoting": "partial", "case": "random"}
WORK = (("none", NONE), ("partial", PARTIAL), ("random", RANDOM))


def power(n):
    """Formats a number of rows as pages write it."""
    return f"2^{n.bit_length() - 1}" if n > 10**6 and n & (n - 1) == 0 else str(n)


def measured_on(results, source, what):
    """Returns the sentence above a table: the quantity, the machine, the day, and the file."""
    return (f"{what} measured on an {machine_line(results)}, {results['date'][:10]} "
            f"([results]({source})).")


def grid(rows, head, lines, columns):
    """Makes a table of multiples of the floor; lines and columns are pairs of a name and of
    fields."""
    body = []
    for name, line in lines:
        values = [times_floor(rows, **line, **column) for _, column in columns]
        if any(v is not None for v in values):
            body.append([name] + [number(v) for v in values])
    return table([head, *(name for name, _ in columns)], body)


def by_length(rows, lengths, columns, **fields):
    return grid(rows, "rows", [(power(n), {"n": n, **fields}) for n in lengths], columns)


def for_types(work):
    """Returns a column for each type and kind of work."""
    return [(f"{kind} {name}", {"type": kind, **fields}) for kind in REALS for name, fields in work]


COMPLEX = ("c128 none", {"type": "c128", **NONE})
TYPES = [(kind, {"type": kind}) for kind in REALS]
LAYOUTS_AND_TYPES = [(f"{layout} {kind}", {"layout": layout, "type": kind})
                     for layout in LAYOUTS for kind in REALS]
IN_F, IN_C = "The times are multiples of F,", "The times are multiples of C,"
LEGEND = ("`none` is without pivoting, `partial` is partial pivoting on dominant systems, and `random` is "
          "partial pivoting on random systems, which need it.")


def periodic(layout):
    return [(f"periodic, {n} rows", {"n": n, "layout": layout, "boundary": "periodic", **NONE})
            for n in (64, 512, 1024)]


def contiguous(files, sources):
    rows, ragged = files[0]["rows"], {"case": "dominant, ragged from 32"}
    other = [*periodic("contiguous"),
             ("ragged, 32 to 1024 rows", {**ragged, **NONE}),
             ("ragged, 32 to 1024 rows, partial pivoting", {**ragged, **PARTIAL})]
    return [f"{measured_on(files[0], sources[0], IN_F)} {LEGEND}", "",
            *by_length(rows, IN_TABLE, [*for_types(WORK), COMPLEX], layout="contiguous"), "",
            *grid(rows, "case", other, TYPES)]


def interleaved(files, sources):
    rows, across = files[0]["rows"], {"layout": "interleaved"}
    middle = [(f"{kind} middle", {"type": kind, "layout": "middle", **NONE}) for kind in REALS]
    columns = [(name, {**across, **fields}) for name, fields in [*for_types(WORK), COMPLEX]]
    return [f"{measured_on(files[0], sources[0], IN_F)} {LEGEND} `middle` is a middle axis, without "
            "pivoting; all other columns are of interleaved systems.", "",
            *by_length(rows, ALL_LENGTHS, [*columns, *middle]), "",
            *grid(rows, "case", periodic("interleaved"), TYPES)]


def segments(files, sources):
    rows = files[0]["rows"]
    lines = [(f"one system of {power(n)} rows", {"n": n, "batch": 1}) for n in ONE_SYSTEM]
    lines += [(f"{where}, 16384 rows", {"n": 16384, "layout": layout})
              for where, layout in (("interleaved", "interleaved"), ("middle axis", "middle"))]
    return [f"{measured_on(files[0], sources[0], IN_F)} {LEGEND}", "",
            *grid(rows, "case", lines, for_types(WORK))]


def cards(files, sources):
    """Makes the table of systems of 512 rows that need pivoting, by card."""
    lines = []
    for results in files:
        values = [times_floor(results["rows"], n=512, **RANDOM, **fields)
                  for _, fields in LAYOUTS_AND_TYPES]
        lines.append([results["machine"]["device"], *map(number, values)])
    which = " and ".join(f"[{f['machine']['device']}]({s})" for f, s in zip(files, sources))
    return [f"Random systems of 512 rows, which need pivoting, take these multiples of each card's own F "
            f"({which}):", "", *table(["card", *(name for name, _ in LAYOUTS_AND_TYPES)], lines)]


def launching(files, sources):
    """Makes the table of small problems, in microseconds, with an empty kernel for comparison."""
    def microseconds(solver, case, **fields):
        found = select(files[0]["rows"], solver=solver, case=case, **fields)
        return number(1e3 * found[0]["ms"] if found else None)

    def line(name, case, n):
        return [f"{name}, {n} systems of {n} rows",
                *(microseconds("tridia cuda", f"dominant, {case}", n=n, type=kind) for kind in REALS),
                *(microseconds(f"empty kernel{which}", case)
                  for which in ("", " with 1 KiB of parameters"))]

    lines = [line("device: a replayed graph", "graph replay", n) for n in (32, 64, 128)]
    lines.append(line("host: `execute`", "host side of a launch", 32))
    return [measured_on(files[0], sources[0], "Small problems take these microseconds,"), "",
            *table(["case", *REALS, "empty kernel", "with 1 KiB of parameters"], lines)]


def shared(files, sources):
    case = "dominant, shared coefficients"
    lines = [("`execute`, which factors the matrix too", {"case": case}),
             ("a solve with saved factors", {"case": f"{case}, saved factors"})]
    return [f"{measured_on(files[0], sources[0], IN_C)} One matrix of 512 rows serves all systems, and "
            "there is no pivoting.", "", *grid(files[0]["rows"], "case", lines, LAYOUTS_AND_TYPES)]


def constants(files, sources):
    return [f"{measured_on(files[0], sources[0], IN_C)} These are solves with a near-Toeplitz matrix, "
            "2^26 rows of f64 in all.", "", *constants_table(files[0]["rows"])]


def operators(files, sources):
    return [f"{measured_on(files[0], sources[0], IN_C)} These are compact operators on cubes of f64; axis 0 "
            "is the outermost one, and axis 2 is contiguous.", "", *gpu_table(files[0]["rows"], peers=())]


def scaled_rows(files, sources):
    """Makes the table of systems that need pivoting, before and after their rows were scaled."""
    cases = [(str(n), {"n": n}) for n in (64, 512, 1024, 4096)]
    cases.append(("one system of 2^24", {"n": 2**24, "batch": 1}))
    lines = []
    for name, case in cases:
        line = [name]
        for _, column in LAYOUTS_AND_TYPES:
            pair = [times_floor(f["rows"], **RANDOM, **case, **column) for f in files]
            line.append("-" if None in pair else ", ".join(map(number, pair)))
        lines.append(line)
    which = " and ".join(f"[{s.split('/')[-1]}]({s})" for s in sources)
    return [f"Each cell has the times before and after, in multiples of F, from {which}:", "",
            *table(["rows", *(name for name, _ in LAYOUTS_AND_TYPES)], lines)]


# This maps a table's name to its page, the function that makes it, and the files that it is made
# from.
SOLVE, DERIVE = "SOLVE", "DERIVE"
TABLES = {
    "contiguous": ("onchip", contiguous, (SOLVE,)),
    "cards": ("onchip", cards, (SOLVE, OTHER_CARD)),
    "launching": ("onchip", launching, (SOLVE,)),
    "interleaved": ("interleaved", interleaved, (SOLVE,)),
    "segments": ("segments", segments, (SOLVE,)),
    "shared": ("factors", shared, (SOLVE,)),
    "constants": ("scan", constants, (DERIVE,)),
    "operators": ("scan", operators, (DERIVE,)),
    "scaled_rows": ("lab-notes", scaled_rows, (BEFORE_SCALING, AFTER_SCALING)),
}


def text(name, files, sources):
    """Returns the lines of a table, and of the sentence above it."""
    return TABLES[name][1](files, sources)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("solve", help="what tridia bench solve --device cuda --json wrote")
    parser.add_argument("derive", help="what tridia bench derive --device cuda --json wrote")
    arguments = parser.parse_args()
    given = {SOLVE: arguments.solve, DERIVE: arguments.derive}
    good = True
    for name, (page, _, needed) in TABLES.items():
        paths = [given.get(file, ROOT / file) for file in needed]
        lines = text(name, [load(path) for path in paths],
                     [f"{TO_ROOT}{source_of(path)}" for path in paths])
        good &= put_between(PAGES / f"{page}.md", f"{NAME} {name}", lines)
    return 0 if good else 2


if __name__ == "__main__":
    sys.exit(main())
