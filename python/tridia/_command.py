# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The command line, ``tridia``: the program that this package was built with."""

import os
import sys
from pathlib import Path


def main() -> int:
    """This becomes the command line's program, with the same arguments."""
    program = Path(__file__).resolve().parent / "bin" / "tridia"
    if not program.is_file():
        print("tridia: this package was built without the command line, which needs CLI11, fmt and "
              "nlohmann-json (apt install libcli11-dev libfmt-dev nlohmann-json3-dev)",
              file=sys.stderr)
        return 1
    os.execv(program, [str(program), *sys.argv[1:]])
    return 1
