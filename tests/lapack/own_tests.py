#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs LAPACK's own tests of general tridiagonal matrices (xlintst, path GT) with xGTSV by tridia, which
is preloaded. All have to pass, and as many calls have to come through as LAPACK's own routines get."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

TYPES = {"s": "SGT", "d": "DGT", "c": "CGT", "z": "ZGT"}


def data(programs, letter):
    """Returns the data file of a type, cut down to one path."""
    lines = (programs / f"{letter}test.in").read_text(encoding="ascii").splitlines(keepends=True)
    last = next(k for k, line in enumerate(lines) if "test the error exits" in line)
    path = [line for line in lines if line.startswith(TYPES[letter])]
    assert len(path) == 1, path
    return "".join(lines[:last + 1] + path)


def run(programs, letter, preload):
    """Returns what the tests print, and the calls as (number, library)."""
    done = subprocess.run([programs / f"xlintst{letter}"], input=data(programs, letter), text=True,
                          capture_output=True, timeout=60, check=True,
                          env={**os.environ, "LD_PRELOAD": " ".join(map(str, preload))})
    calls = re.findall(rf"^calls of {letter}gtsv_: (\d+), by (.*)$", done.stderr, re.MULTILINE)
    assert len(calls) == 1, done.stderr
    return done.stdout, int(calls[0][0]), calls[0][1]


def wrong(text, path):
    """Returns what is missing or wrong in the output of a run."""
    found = []
    for kind in ("routines", "drivers"):
        if not re.search(rf"^ {path} {kind} +passed the tests of the error exits", text, re.MULTILINE):
            found.append(f"no word that the {kind} passed the tests of the error exits")
        if not re.search(rf"^ All tests for {path} {kind} +passed the threshold", text, re.MULTILINE):
            found.append(f"no word that all tests of the {kind} passed")
    if re.search(r"fail|error code|\*\*\*", text, re.IGNORECASE):
        found.append("something failed")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--programs", "--count", "--library"):
        parser.add_argument(name, type=Path, required=True)
    args = parser.parse_args()
    failed = False
    for letter, path in TYPES.items():
        _, own, by = run(args.programs, letter, [args.count])
        assert "libtridia" not in by, by
        text, calls, by = run(args.programs, letter, [args.count, args.library])
        found = wrong(text, path)
        if "libtridia_lapack" not in by or calls != own or calls == 0:
            found.append(f"LAPACK's own got {own} calls, {by} {calls}")
        tests = re.findall(r"\( *(\d+) tests run\)", text)
        print(f"{path}: {' + '.join(tests)} tests of LAPACK; {calls} calls of {letter}gtsv_, of {own}, "
              f"by {by}")
        if found:
            failed = True
            print(text, *found, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
