#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Compiles packed CR with and without its bound on registers, and writes what each kernel takes.

    bench/packing_registers.py --json bench/results/compiled/packing-registers.json

needs nvcc and no GPU. A kernel that is launched with many threads has to keep to a bound on its
registers (`__launch_bounds__`), which the library computes from the depth: what is compiled with it
says little about what the method needs. Without the bound a thread may have 255.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src/solver/cuda/named/packed_cr.cu"
BOUND = re.compile(r" __launch_bounds__\(most_packed_threads\(Depth, sizeof\(V\)\)\)")
VALUES = {"f32": "float", "f64": "double"}
FLAGS = ["-std=c++20", "--expt-relaxed-constexpr", "-fmad=false", "-O3", "-DNDEBUG"]
ENTRY = re.compile(r"Function properties for \S*packed_kernelILi(\d+)\S*\n"
                   r"\s+\d+ bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n"
                   r".*?Used (\d+) registers")


def compiled(nvcc, architecture, value, bounded, folder):
    """Returns what ptxas says of the kernels of a type."""
    text = SOURCE.read_text(encoding="utf-8")
    if not BOUND.search(text):
        sys.exit(f"packing_registers: {SOURCE} has no such bound as this script takes away")
    path = Path(folder) / "packed_cr.cu"
    path.write_text(text if bounded else BOUND.sub("", text), encoding="utf-8")
    command = [nvcc, *FLAGS, f"-arch={architecture}", f"-DTRIDIA_VALUE={value}", "-I", ROOT / "src",
               "-I", ROOT / "include", "--resource-usage", "-cubin", "-o", Path(folder) / "x", path]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return result.stderr


def measure(nvcc, architecture):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, value in VALUES.items():
            for bounded in (True, False):
                for depth, stores, loads, registers in ENTRY.findall(
                        compiled(nvcc, architecture, value, bounded, folder)):
                    rows.append({"type": kind, "depth": int(depth), "bounded": bounded,
                                 "registers": int(registers), "spill_bytes": int(stores) + int(loads)})
    return sorted(rows, key=lambda r: (r["type"], not r["bounded"], r["depth"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", required=True, help="where it goes")
    parser.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    parser.add_argument("--arch", default="sm_90", help="as nvcc names it (sm_90)")
    a = parser.parse_args()
    version = subprocess.run([a.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    results = {"format": 2, "command": f"bench/packing_registers.py --arch {a.arch}",
               "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
               "compiler": version.strip().splitlines()[-1], "architecture": a.arch,
               "rows": measure(a.nvcc, a.arch)}
    Path(a.json).parent.mkdir(parents=True, exist_ok=True)
    Path(a.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
