#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables and the pictures of the map from what `tridia bench map` has measured.

    bench/map_tables.py FILE.json ...

writes, for each file, docs/map-cpu.png or docs/map-cuda.png, and the part of docs/performance.md between
the two lines that name this script. Needs matplotlib (python3 -m pip install matplotlib).
"""

import argparse
import re
import sys

from plot_map import LAYOUT_NAMES, cells, draw, feature, features
from readme import ROOT, number, put_between, source_of, table
from report import load, machine_line

NAME = "bench/map_tables.py"
PAGE = ROOT / "docs/performance.md"
NEAR, FURTHER = 1.5, 3
LARGE = 2**23  # rows in all; 2^20 lie in a cache


def backend(results):
    """"cpu" or "cuda"."""
    return next(r["solver"] for r in cells(results)).split()[1]


def picture(results):
    return f"map-{backend(results)}.png"


def known(rows):
    return [r for r in rows if r["times_floor"] is not None]


def counted(rows):
    """The numbers of cells: all, near, further, beyond."""
    times = [r["times_floor"] for r in known(rows)]
    near = sum(t <= NEAR for t in times)
    further = sum(NEAR < t <= FURTHER for t in times)
    return len(times), near, further, len(times) - near - further


def place(row):
    """Where a cell is, in words."""
    size = row["size"].replace(" extents", "")
    return f"{row['type']}, {row['shape']} of {size}, {LAYOUT_NAMES[row['layout']]}"


def worst(rows):
    row = max(known(rows), key=lambda r: r["times_floor"], default=None)
    if row is None:
        return ["-", ""]
    about = "about " if row["estimate"] else ""
    return [about + number(row["times_floor"]), place(row)]


def split(rows):
    """Cells of many rows, whose arrays are larger than caches, and of few."""
    return [r for r in rows if r["rows"] >= LARGE], [r for r in rows if r["rows"] < LARGE]


def by_feature(rows):
    groups = [(name, [r for r in rows if feature(r) == name]) for name in features(rows)]
    lines = []
    for name, group in [*groups, ("all", rows)]:
        large, small = split(group)
        lines.append([name, *map(str, counted(large)[1:]), *worst(large),
                      *map(str, counted(small)[1:]), *worst(small)])
    counts = [f"to {NEAR}", f"to {FURTHER}", "beyond", "worst", "where"]
    return table(["feature", f"large: {counts[0]}", *counts[1:], f"small: {counts[0]}", *counts[1:]], lines)


def caveats(results, rows):
    """What is missing of the map, and why, and what disturbed it."""
    estimated = sum(r["estimate"] is not None for r in rows)
    slow = sum("not run" in (r["note"] or "") for r in rows)
    lines = []
    if estimated:
        lines.append(f"{estimated} cells, which have a \"~\" in the picture, were too slow to be run: their "
                     "times are those of smaller ones, times the ratio of the lengths of their lines.")
    if slow:
        lines.append(f"{slow} more are left out, as their plans take too long to make.")
    if results.get("disturbed"):
        lines.append(f"Other programs ran after {results['disturbed']} of the features, so that these are "
                     "slower here than they need be.")
    return " ".join(lines) or "Every cell was run."


def part(results, source):
    """What stands there of one file."""
    rows = cells(results)
    remark = f" ({results['remark']})" if results.get("remark") else ""
    device = re.sub(r"\(R\)| Processor", "", results["machine"]["device"])
    kinds = " and ".join(dict.fromkeys(r["type"] for r in rows))
    return [f"On an {machine_line(results)}, {results['date'][:10]}, {kinds} "
            f"([results]({source})){remark}. {caveats(results, rows)}", "", *by_feature(rows), "",
            f"![The map: times the floor of each feature at each shape, {device}]({picture(results)})"]


def text(files, sources):
    lines = ["`tridia bench map` measures every feature at many shapes. A cell's floor is the larger one of "
             "an empty call and of a copy, in the same run, of as many bytes as the cell must move: 2 words "
             "a row of operators and constants, the same and one matrix where all share it, 5 with "
             "coefficients or factors of each system, 2k and 3 + 2k with k right-hand sides. The tables count "
             "cells by their time over that floor: large ones, of 2^24 rows in all and more, and small ones, "
             "of 2^20 and 2^14, whose floor is a copy in the cache."]
    for results, source in zip(files, sources):
        lines += ["", *part(results, source)]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", metavar="FILE.json", nargs="+",
                        help="what tridia bench map --json wrote, one for each device")
    paths = parser.parse_args().files
    files = [load(path) for path in paths]
    for results in files:
        draw(results, ROOT / "docs" / picture(results))
    return 0 if put_between(PAGE, NAME, text(files, [f"../{source_of(p)}" for p in paths])) else 2


if __name__ == "__main__":
    sys.exit(main())
