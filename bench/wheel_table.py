#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Writes what scripts/check-wheel --json found into docs/python.md.

The page says how large a wheel with CUDA is, between the two lines that name this script."""

import argparse
from pathlib import Path

from readme import ROOT, put_between, source_of
from report import load

NAME = "bench/wheel_table.py"
PAGE = ROOT / "docs/python.md"


def text(results, source):
    most = results["rows"][0]
    return [f"A wheel with CUDA has {results['bytes'] / 1e6:.0f} MB ([record]({source})), {results['remark']}. Of these "
            f"`{Path(most['file']).name}` takes {most['packed'] / 1e6:.0f} MB."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="a file of results, from the root of the tree")
    file = parser.parse_args().file
    put_between(PAGE, NAME, text(load(file), f"../{source_of(file)}"))


if __name__ == "__main__":
    main()
