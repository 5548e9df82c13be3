#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the C symbols of the library against symbols.txt, and against the headers: what a program
was linked with does not vanish unnoticed; and that tridia_lapack has LAPACK's names alone.
`test_symbols.py LIBRARY LAPACK_LIBRARY`; `--write` remakes the list."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIST = HERE / "symbols.txt"
# A symbol of the drop-in libraries is in their own lists.
OTHERS = ("tridia_mpi_", "tridia_nccl_")


def declared():
    """Returns the names of the functions of the headers that belong to the library itself."""
    headers = [ROOT / "include/tridia.h", ROOT / "include/tridia_lapack.h",
               *sorted((ROOT / "include/tridia/c").glob("*.h"))]
    text = "\n".join(h.read_text(encoding="utf-8") for h in headers)
    return set(re.findall(r"TRIDIA_API[^;(]*?\b(tridia_\w+)\(", text))


# What programs that preload tridia_lapack get from it.
LAPACK = {f"{letter}gtsv_{integers}" for letter in "sdcz" for integers in ("", "64_")}


def exported(library):
    """Returns the names that a shared library defines for others."""
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                         text=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def defined(library):
    """Returns the C symbols that a library defines."""
    dynamic = ["-D"] if ".so" in library else []
    out = subprocess.run(["nm", "--defined-only", "-g", *dynamic, library], check=True,
                         capture_output=True, text=True).stdout
    # A shared library's symbols carry their version, as tridia_solve@@TRIDIA_0.2.
    return set(re.findall(r" T (tridia_\w+)(?:@@\w+(?:\.\w+)*)?$", out, re.MULTILINE))


def asked():
    """Returns the functions that the tests call with wrong arguments."""
    text = "\n".join(p.read_text(encoding="utf-8") for p in HERE.glob("*.c"))
    names = set(re.findall(r"\b(tridia_\w+)\(", text))
    for of in re.findall(r"BAD_NAME\((\w+)\)", text):
        names |= {f"tridia_{of}_name", f"tridia_{of}_parse"}
    return names


def main():
    names = declared()
    if "--write" in sys.argv:
        LIST.write_text("".join(f"{n}\n" for n in sorted(names)), encoding="utf-8")
        return 0
    listed = set(LIST.read_text(encoding="utf-8").split())
    has = {n for n in defined(sys.argv[1]) if not n.startswith(OTHERS)}
    wrong = [f"{title}: {', '.join(sorted(some))}" for title, some in (
        ("declared, not in symbols.txt", names - listed),
        ("in symbols.txt, not declared", listed - names),
        ("in symbols.txt, not in the library", listed - has),
        ("in the library, not in symbols.txt", has - listed),
        ("not what tridia_lapack is to have", exported(sys.argv[2]) ^ LAPACK),
        ("never called with wrong arguments", names - asked() - {"tridia_last_error"})) if some]
    print("\n".join(wrong) if wrong else f"{len(listed)} symbols")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
