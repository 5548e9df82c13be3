#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Counts the bytes of shared memory that a thread of packed CR moves in a stage, as it is compiled.

    bench/packing_bandwidth.py --json bench/results/compiled/packing-bandwidth.json --nvdisasm PROGRAM

needs nvcc and nvdisasm (`pip install nvidia-cuda-nvdisasm`), and no GPU. The stages in registers are
unrolled, so the instructions of a kernel between two barriers are those of one stage: every thread
stores the row that it shows, waits, and loads its neighbour's. Then come loops of the stages among
the threads, first forward, then back; what their bodies move is that of an active thread.
"""

import re
import subprocess
import sys
import tempfile

from packing_registers import NAME, VALUES, arguments, compile_kernels, write

SECTION = re.compile(rf"^\.text\.\S*{NAME}")
MOVE = re.compile(r"\b(LDS|STS)((?:\.\w+)*) ")
BARRIER = re.compile(r"\bBAR\.SYNC")
END = re.compile(r"\bBAR\.RED")  # the threads agree whether x is finite: it has been found
WIDTHS = {"8": 1, "U8": 1, "S8": 1, "16": 2, "U16": 2, "S16": 2, "64": 8, "128": 16}


def width(suffixes):
    """Returns the bytes that an access of a thread moves: four where no suffix says otherwise."""
    return next((WIDTHS[s] for s in suffixes.split(".") if s in WIDTHS), 4)


def between_barriers(text):
    """Returns {(depth, radix): [[bytes loaded, bytes stored], ...]}, a pair before each barrier and
    one after the last."""
    found, moved = {}, None
    for line in text.splitlines():
        section = SECTION.match(line)
        if section:
            moved = found.setdefault((int(section[1]), int(section[2])), [[0, 0]])
        elif moved is None:
            continue
        elif END.search(line):
            moved = None
        elif BARRIER.search(line):
            moved.append([0, 0])
        else:
            access = MOVE.search(line)
            if access:
                moved[-1][access[1] == "STS"] += width(access[2])
    return found


def stages_of(depth, radix):
    """Returns the number of stages in registers: with radix 4, a last one of radix 2 may be left."""
    stages = 0
    while depth > 1:
        depth //= radix if depth >= radix else 2
        stages += 1
    return stages


def row_of(kind, depth, radix, moved):
    """Sorts what is between barriers into stages: a thread stores before a barrier what is loaded after
    it, and after the last stage in registers it stores its last row."""
    count = stages_of(depth, radix)
    loops = 2 if radix == 2 else 4
    if len(moved) != count + loops + 2:
        sys.exit(f"packing_bandwidth: {kind}, depth {depth}, radix {radix}: {len(moved) - 1} barriers, "
                 f"not those of {count} stages and {loops} loops")
    names = ("forward", "back") if radix == 2 else ("forward by four", "forward", "back", "back by four")
    among = {name: {"loads": loads, "stores": stores}
             for name, (loads, stores) in zip(names, moved[count + 1:-1])}
    return {"type": kind, "depth": depth, "radix": radix,
            "stages": [{"loads": moved[s + 1][0], "stores": moved[s][1]} for s in range(count)],
            "among_threads": among}


def measure(nvcc, nvdisasm, architecture):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, value in VALUES.items():
            for radix in (2, 4):
                cubin, _ = compile_kernels(nvcc, architecture, value, radix, folder)
                text = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True,
                                      check=True).stdout
                rows += [row_of(kind, *key, moved) for key, moved in between_barriers(text).items()]
    return sorted(rows, key=lambda r: (r["type"], r["radix"], r["depth"]))


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--nvdisasm", default="nvdisasm")
    a = parser.parse_args()
    write(a.json, a.nvcc, a.arch, "bench/packing_bandwidth.py", measure(a.nvcc, a.nvdisasm, a.arch))
    return 0


if __name__ == "__main__":
    sys.exit(main())
