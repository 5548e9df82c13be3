#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks what a library exports: its C symbols against its list and its headers, so that what a
program was linked with does not vanish unnoticed; that all else is of namespace tridia; and the name
and the symbols' version of a shared library. `test_symbols.py LIBRARY`; `--write` remakes its list."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The libraries, with their lists and the headers that declare what is in them.
LIBRARIES = {
    "libtridia": ("symbols.txt", ["tridia.h", "tridia_lapack.h", "tridia/c/*.h"]),
    "libtridia_mpi": ("symbols_mpi.txt", ["tridia_mpi.h"]),
    "libtridia_nccl": ("symbols_nccl.txt", ["tridia_nccl.h"]),
}
# What programs that preload tridia_lapack get from it, and nothing else.
LAPACK = {f"{letter}gtsv_{integers}" for letter in "sdcz" for integers in ("", "64_")}
# This function has no argument to be wrong.
NOT_ASKED = {"tridia_last_error"}
# A name of namespace tridia, of a class in it (its vtable and the like), or of an initialisation there.
OURS = re.compile(r"_Z(?:T[VISTch].*|GV|GR|GTt)?N?[VKr]*6tridia")


def declared(patterns):
    """Returns the names of the functions that these headers declare."""
    headers = [h for p in patterns for h in sorted((ROOT / "include").glob(p))]
    text = "\n".join(h.read_text(encoding="utf-8") for h in headers)
    return set(re.findall(r"TRIDIA_API[^;(]*?\b(tridia_\w+)\(", text))


def exported(library):
    """Returns (kind, name, version) of each symbol that other programs can link with; a kind is as nm
    has it, a version empty or as TRIDIA_0.2."""
    dynamic = ["-D"] if ".so" in library else []
    out = subprocess.run(["nm", "--defined-only", "-g", *dynamic, library], check=True,
                         capture_output=True, text=True).stdout
    symbols = [re.fullmatch(r"[0-9a-f]* ([A-Za-z]) ([^@\s]+)(?:@+(\S+))?", line)
               for line in out.splitlines()]
    return [(s[1], s[2], s[3] or "") for s in symbols if s]


def strangers(symbols):
    """Returns the symbols that are neither of the C interface nor of namespace tridia. Those that every
    program may have as well, such as instances of the standard library's templates, are weak."""
    return {name for kind, name, _ in symbols
            if not (name.startswith("tridia_") or OURS.match(name)
                    or (kind in "WVu" and name.startswith("_Z"))
                    or name.startswith("DW.ref.")  # a compiler's reference to any of these
                    or re.match(r"_Z\d+__device_stub__", name)  # nvcc's, of a kernel
                    or (kind in "AV" and re.fullmatch(r"TRIDIA_\d+(\.\d+)?", name)))}


def interface():
    """Returns the number in a shared library's name, and in the version of its symbols."""
    text = (ROOT / "include/tridia/version.hpp").read_text(encoding="utf-8")
    major, minor = re.findall(r"VERSION_(?:MAJOR|MINOR) (\d+)$", text, re.MULTILINE)
    return f"0.{minor}" if major == "0" else major


def soname(library):
    out = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.search(r"\(SONAME\).*\[(.*)\]", out)[1]


def asked():
    """Returns the functions that the tests call with wrong arguments."""
    text = "\n".join(p.read_text(encoding="utf-8") for p in HERE.glob("*.c"))
    names = set(re.findall(r"\b(tridia_\w+)\(", text))
    for of in re.findall(r"BAD_NAME\((\w+)\)", text):
        names |= {f"tridia_{of}_name", f"tridia_{of}_parse"}
    return names


def judge(library, names, listed, symbols):
    """Returns what is wrong, as titles with sets of names."""
    has = {name for kind, name, _ in symbols if kind == "T" and name.startswith("tridia_")}
    wrong = [("declared, not in its list", names - listed),
             ("in its list, not declared", listed - names),
             ("in its list, not in the library", listed - has),
             ("in the library, not in its list", has - listed),
             ("outside namespace tridia", strangers(symbols)),
             ("never called with wrong arguments", names - asked() - NOT_ASKED)]
    if ".so" in library:
        wanted = f"TRIDIA_{interface()}"
        wrong.append((f"not of version {wanted}", {name for kind, name, version in symbols
                                                  if kind == "T" and name in has and version != wanted}))
        stem = Path(library).name.split(".")[0]
        wrong.append((f"not {stem}.so.{interface()}",
                      {soname(library)} - {f"{stem}.so.{interface()}"}))
    return [(title, some) for title, some in wrong if some]


def main():
    library = sys.argv[1]
    stem = Path(library).name.split(".")[0]
    if stem == "libtridia_lapack":
        names = {name for _, name, _ in exported(library)}
        print(f"exported: {sorted(names)}, wanted: {sorted(LAPACK)}")
        return 0 if names == LAPACK else 1
    of, headers = LIBRARIES[stem]
    names = declared(headers)
    if "--write" in sys.argv:
        (HERE / of).write_text("".join(f"{n}\n" for n in sorted(names)), encoding="utf-8")
        return 0
    listed = set((HERE / of).read_text(encoding="utf-8").split())
    symbols = exported(library)
    wrong = judge(library, names, listed, symbols)
    for title, some in wrong:
        print(f"{title}: {', '.join(sorted(some))}")
    print(f"{Path(library).name}: {len(listed)} C symbols, {len(symbols)} in all")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
