#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/papers.md from what `tridia reproduce` measured.

    bench/paper_tables.py EXPERIMENT=FILE.json ...

as hybrid=bench/results/nvidia-h200/hybrid-DATE.json, writes the part of the page that stands between two
lines with the name of this script and of the experiment: its tables, and what became of each claim of
the paper. A module of bench/paper_pages makes it, and computes verdicts from the measurements, too.
`packing` also takes what bench/packing_registers.py and bench/packing_bandwidth.py wrote, as
packing=FILE.json,REGISTERS.json,BANDWIDTH.json.
"""

import argparse
import sys

from paper_pages import cluster, cuthomas, hybrid, neato, packing
from readme import ROOT, put_between, source_of
from report import load

NAME = "bench/paper_tables.py"
PAGE = ROOT / "docs/papers.md"
PARTS = {"hybrid": hybrid, "cuthomas": cuthomas, "packing": packing, "neato": neato, "cluster": cluster}


def text(name, files, sources):
    """Returns the lines of an experiment's part of the page."""
    return PARTS[name].text(files, sources)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="EXPERIMENT=FILE[,FILE]")
    good = True
    for argument in parser.parse_args().files:
        name, _, paths = argument.partition("=")
        if name not in PARTS or not paths:
            parser.error(f"{argument}: it is not one of {', '.join(PARTS)} with a file")
        paths = paths.split(",")
        lines = text(name, [load(p) for p in paths], [f"../{source_of(p)}" for p in paths])
        good &= put_between(PAGE, f"{NAME} {name}", lines)
    return 0 if good else 2


if __name__ == "__main__":
    sys.exit(main())
