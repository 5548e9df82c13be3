# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What the scripts that time calls from Python have in common: rows of results, and the command line."""

import argparse
import datetime
import json
import sys

from readme import ROOT, put_between
from report import load


def row(case, solver, times, n, batch, repetitions, floor_ms=None):
    """Returns a row of results: the median of times in milliseconds, for `batch` systems of f64."""
    times = sorted(times)
    ms = times[len(times) // 2]
    return {"case": case, "solver": solver, "type": "f64", "n": n, "batch": batch,
            "layout": "contiguous", "boundary": "regular", "pivoting": "partial", "ms": ms,
            "ms_min": times[0], "repetitions": repetitions, "floor_ms": floor_ms,
            "roofline_fraction": floor_ms and floor_ms / ms, "residual": None,
            "workspace_bytes": None}


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))


def results(name, machine, versions, rows):
    """Returns the results of the script `name`, which was called just now."""
    return {"format": 2, "machine": machine, "versions": versions,
            "command": " ".join([name, *sys.argv[1:]]),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "rows": rows}


def main(description, name, measure, text, page):
    """Does what the command line asks: `measure()` and write results, or write `text` into `page`.

    ``text(results of each file, links to the files)`` returns the lines of the page's block.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--json", help="measure, and write results to this file")
    parser.add_argument("--docs", nargs="+", help="files of results, a column each")
    arguments = parser.parse_args()
    if arguments.json:
        measured = measure()
        with open(arguments.json, "w", encoding="utf-8") as f:
            json.dump(measured, f, indent=1)
            f.write("\n")
        print("\n".join(text([measured], [arguments.json])))
    if arguments.docs:
        put_between(ROOT / page, name, text([load(path) for path in arguments.docs],
                                            [f"../{path}" for path in arguments.docs]))
