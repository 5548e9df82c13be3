#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Brings results of tridia_bench to the newest format: names alone, never what was measured.

    migrate.py FILE.json ...         rewrites those that are older, and says which

Format 2 has the number, and calls some things by other names than format 1 (tridia 0.1), which has
none: `CASES` are names of cases, `ALGORITHMS` those with which a note begins. The rest of a note is
what a plan said on that day, and stays. `report.load` does the same to what it reads.
Needs Python 3.8, and nothing else.
"""

import argparse
import json
import re
from pathlib import Path

FORMAT = 2
CASES = {"dominant, shared coefficients, kept factors": "dominant, shared coefficients, saved factors"}
ALGORITHMS = {"chunks": "partition"}


def renamed(key, value):
    """Returns the value of a row's field by its current name."""
    if key == "case":
        return CASES.get(value, value)
    if key == "note" and value:
        algorithm, colon, rest = value.partition(":")
        return ALGORITHMS.get(algorithm, algorithm) + colon + rest
    return value


def format_of(results):
    number = results.get("format", 1)
    if number not in (1, FORMAT):
        raise ValueError(f"format {number} is not known here: the newest is {FORMAT}")
    return number


def upgrade(results):
    """Returns the contents of a file in the newest format."""
    if format_of(results) == FORMAT:
        return results
    rows = [{key: renamed(key, value) for key, value in row.items()} for row in results["rows"]]
    return {"format": FORMAT, **results, "rows": rows}


def migrate(text):
    """Returns a file's text in the newest format; all except the lines of names is unchanged."""
    results = json.loads(text)
    if format_of(results) == FORMAT:
        return text

    def line(m):
        return m[1] + json.dumps(renamed(m[2], json.loads(m[3])), ensure_ascii=False) + m[4]

    new = re.sub(r'^( *"(case|note)": )(".*")(,?)$', line, text, flags=re.MULTILINE)
    new = new.replace("{\n", '{\n "format": %d,\n' % FORMAT, 1)
    if json.loads(new) != upgrade(results):
        raise ValueError("it is not laid out as tridia_bench does: a field a line")
    return new


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", metavar="FILE.json", nargs="+", type=Path)
    for path in parser.parse_args().files:
        text = path.read_text(encoding="utf-8")
        try:
            new = migrate(text)
        except ValueError as e:
            parser.exit(1, f"migrate.py: {path}: {e}\n")
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
