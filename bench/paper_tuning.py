#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes entries of a tuning table from what `tridia reproduce` measured of the papers' algorithms.

    bench/paper_tuning.py bench/results/nvidia-h200/hybrid-DATE.json .../packing-DATE.json

prints a line for each algorithm, type and number of rows of which several switch points or packing
depths were measured: with the fastest one, or without a value where the one that the library took by
itself is less than 2 % slower. `tridia tune`, which replaces them, does likewise.
"""

import argparse
import re

from report import load, usable

CAPABILITY = "9.0"  # of the H200 that the committed results are of
GAIN = 0.02  # what is nearer than this is noise, as for tridia tune
SOLVER = "tridia cuda, "
PARAMETER = re.compile(r"(switch point|packing depth) (\d+)")


def measured(files):
    """Returns the milliseconds by algorithm, type and rows, and by value of the parameter."""
    times = {}
    for r in (r for f in files for r in f["rows"] if usable(r) and r["solver"].startswith(SOLVER)):
        asked = PARAMETER.fullmatch(r["parameter"] or "")
        if asked:
            key = (r["solver"].removeprefix(SOLVER), r["type"], r["n"])
            times.setdefault(key, {})[int(asked[2])] = r["ms"]
    return times


def defaults(files):
    """Returns the value that the library took by itself, by algorithm and type, as plans' reasons
    have it."""
    taken = {}
    for r in (r for f in files for r in f["rows"] if usable(r) and r["solver"].startswith(SOLVER)):
        said = PARAMETER.search(r["note"] or "")
        if said and not r["parameter"]:
            taken[r["solver"].removeprefix(SOLVER), r["type"]] = int(said[2])
    return taken


def entries(files):
    """Returns {(algorithm, type, rows): the best value, or None for the default}."""
    taken = defaults(files)
    best = {}
    for (algorithm, kind, rows), times in measured(files).items():
        fastest = min(times, key=times.get)
        default = times.get(taken.get((algorithm, kind)))
        is_better = default is None or times[fastest] < (1 - GAIN) * default
        best[algorithm, kind, rows] = fastest if is_better else None
    return best


def line(algorithm, kind, rows, value):
    parameter = "packing_depth" if algorithm == "packed_cr" else "switch_point"
    return (f"{CAPABILITY} {algorithm} {kind} none contiguous {rows}"
            + (f" {parameter}={value}" if value else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    files = [load(path) for path in parser.parse_args().files]
    for key, value in sorted(entries(files).items()):
        print(line(*key, value))


if __name__ == "__main__":
    main()
