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
KERNEL = "solver/cuda/named/packed_cr.cuh"
BOUND = re.compile(r" __launch_bounds__\(most_packed_threads\(Depth, sizeof\(V\)\)\)")
VALUES = {"f32": "float", "f64": "double"}
FLAGS = ["-std=c++20", "--expt-relaxed-constexpr", "-fmad=false", "-O3", "-DNDEBUG"]
# An instance of the kernel is named by its type, depth and radix.
NAME = r"packed_kernelI[fd]Li(\d+)ELi(\d+)E"
ENTRY = re.compile(rf"Function properties for \S*{NAME}\S*\n"
                   r"\s+\d+ bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n"
                   r".*?Used (\d+) registers")


def compile_kernels(nvcc, architecture, value, radix, folder, bounded=True):
    """Compiles the kernels of a type and a radix, and returns the cubin and what ptxas says."""
    text = (ROOT / "src" / KERNEL).read_text(encoding="utf-8")
    if not BOUND.search(text):
        sys.exit(f"packing_registers: src/{KERNEL} has no such bound as this script takes away")
    header, source = Path(folder) / KERNEL, Path(folder) / "kernels.cu"
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text(text if bounded else BOUND.sub("", text), encoding="utf-8")
    source.write_text(f'#include "{KERNEL}"\ntemplate tridia::cuda::packed_launches '
                      f"tridia::cuda::packed_launches_of<{value}, {radix}>();\n", encoding="utf-8")
    cubin = Path(folder) / "kernels.cubin"
    command = [nvcc, *FLAGS, f"-arch={architecture}", "-I", folder, "-I", ROOT / "src",
               "-I", ROOT / "include", "--resource-usage", "-cubin", "-o", cubin, source]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return cubin, result.stderr


def measure(nvcc, architecture):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, value in VALUES.items():
            for bounded in (True, False):
                said = compile_kernels(nvcc, architecture, value, 2, folder, bounded)[1]
                for depth, _, stores, loads, registers in ENTRY.findall(said):
                    rows.append({"type": kind, "depth": int(depth), "bounded": bounded,
                                 "registers": int(registers), "spill_bytes": int(stores) + int(loads)})
    return sorted(rows, key=lambda r: (r["type"], not r["bounded"], r["depth"]))


def write(path, nvcc, architecture, command, rows):
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    results = {"format": 2, "command": f"{command} --arch {architecture}",
               "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
               "compiler": version.strip().splitlines()[-1], "architecture": architecture,
               "rows": rows}
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", required=True, help="where it goes")
    parser.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    parser.add_argument("--arch", default="sm_90", help="as nvcc names it (sm_90)")
    return parser


def main():
    a = arguments(__doc__.splitlines()[0]).parse_args()
    write(a.json, a.nvcc, a.arch, "bench/packing_registers.py", measure(a.nvcc, a.arch))
    return 0


if __name__ == "__main__":
    sys.exit(main())
