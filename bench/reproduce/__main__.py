#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Repeats an experiment of the papers on this machine's GPU.

    tridia reproduce hybrid|cuthomas|packing|neato [--json FILE] [--png FILE] [OPTIONS of tridia_bench]
    tridia reproduce cluster [--ranks P] [--device cpu|cuda] [--scheme NAME] ...
                             [OPTIONS of tridia bench scaling]
    tridia reproduce NAME --from FILE.json        shows what was measured before

runs tridia_bench, which lies beside tridia, prints the experiment's table with the paper's own figures,
and writes the measurements (NAME.json) and a picture of them (NAME.png, by matplotlib).
`cluster` runs tridia_bench_scaling by mpirun on 1, 2, 4, ... P ranks: all GPUs of this machine, and
eight of its cores for each, or its cores where it has no GPU (more ranks than cores take turns). The
scheme is the thesis's, C4 closed by 3-4-3, unless another is asked for.
"""

import argparse
import json
import subprocess
import sys

sys.dont_write_bytecode = True  # where it is installed nothing is to appear

import cluster
import cluster_runs
import cuthomas
import hybrid
import neato
import packing
from measurements import PROGRAMS

EXPERIMENTS = {"hybrid": hybrid, "cuthomas": cuthomas, "packing": packing, "neato": neato,
               "cluster": cluster}


def measure(name, path, options):
    if name == "cluster":
        return cluster_runs.measure(path, options)
    program = PROGRAMS / "tridia_bench"
    result = subprocess.run([program, "reproduce", name, "--json", path, *options], check=False)
    # A code of 1 means that a row is wrong, and the results say which; they are shown nevertheless.
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
    EXPERIMENTS[name].draw(rows, figure)
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(prog="tridia reproduce", description=__doc__.split("\n")[0],
                                     epilog="Other options go to tridia_bench; those of cluster, but "
                                            "for --ranks and --device, to tridia bench scaling.")
    parser.add_argument("experiment", choices=sorted(EXPERIMENTS))
    parser.add_argument("--json", help="where the measurements go (EXPERIMENT.json)")
    parser.add_argument("--png", help="where the picture goes (EXPERIMENT.png)")
    parser.add_argument("--from", dest="source", help="measurements that exist already")
    a, options = parser.parse_known_args()
    path = a.source or a.json or f"{a.experiment}.json"
    code = 0 if a.source else measure(a.experiment, path, options)
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    # The words of these experiments are the same in formats 1 (which has no number) and 2.
    if results.get("format", 1) not in (1, 2):
        sys.exit(f"tridia reproduce: {path} has format {results['format']}, which is newer than this")
    rows = results["rows"]
    print(f"{results['machine']['device']}, {results['date']}\n")
    EXPERIMENTS[a.experiment].show(rows)
    wrong_rows(rows)
    draw(a.experiment, rows, a.png or f"{a.experiment}.png")
    return code


if __name__ == "__main__":
    sys.exit(main())
