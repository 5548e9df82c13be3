# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Does the runs of `cluster`: tridia_bench_scaling by mpirun, on one number of ranks after
another."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cluster import CORES_A_GPU, THESIS_SCHEME
from measurements import PROGRAMS


def fail(sentence):
    print(f"tridia reproduce: {sentence}", file=sys.stderr)
    sys.exit(2)


def gpus_here():
    """Returns the number of this machine's GPUs, as the library sees them."""
    info = subprocess.run([PROGRAMS / "tridia", "info", "--json"], capture_output=True, text=True,
                          check=False)
    return len(json.loads(info.stdout)["cuda_devices"]) if info.returncode == 0 else 0


def doubled(most):
    """Returns 1, 2, 4, ... up to the most, and the most itself."""
    return sorted({1 << k for k in range(most.bit_length()) if 1 << k < most} | {most})


def scaling_runs(device, ranks, cores):
    """Returns (device, ranks, suite) of every run."""
    runs = [(device, p, "thesis") for p in doubled(ranks)]
    if device == "cuda":
        cpus = {min(CORES_A_GPU * p, cores) for p in doubled(ranks)} | {cores}
        runs += [("cpu", p, "thesis-table") for p in sorted(cpus)]
    return runs


def mpi_command(mpirun, ranks):
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    command = [mpirun, "-n", str(ranks)]
    if "Open MPI" in version or "OpenRTE" in version:
        # Hardware threads count as cores; with fewer of them than ranks they take turns.
        command += ["--oversubscribe", "--bind-to", "none"]
        if os.geteuid() == 0:
            command.append("--allow-run-as-root")
    return command


def measure(path, options):
    parser = argparse.ArgumentParser(prog="tridia reproduce cluster", add_help=False)
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--scheme", default=THESIS_SCHEME)
    a, options = parser.parse_known_args(options)
    program = PROGRAMS / "tridia_bench_scaling"
    for needed in (program, PROGRAMS / "tridia"):
        if not needed.exists():
            fail(f"cluster needs {needed}, which is built with -DTRIDIA_BUILD_BENCHMARKS=ON where MPI "
                 "is found (libopenmpi-dev openmpi-bin)")
    mpirun = shutil.which("mpirun") or fail("cluster needs mpirun (openmpi-bin), and finds none")
    cores, gpus = len(os.sched_getaffinity(0)), gpus_here()
    device = a.device or ("cuda" if gpus else "cpu")
    ranks = (gpus if device == "cuda" else cores) if a.ranks is None else a.ranks
    if ranks < 1:
        fail("--device cuda: no GPU is visible" if a.ranks is None else
             f"--ranks: {ranks} is less than 1")
    code, parts = 0, []
    with tempfile.TemporaryDirectory() as kept:
        for device_of_run, p, suite in scaling_runs(device, ranks, cores):
            part = Path(kept) / f"{device_of_run}-{p}.json"
            threads = 1 if device_of_run == "cpu" else max(1, cores // p)
            result = subprocess.run(
                [*mpi_command(mpirun, p), program, "--device", device_of_run, "--suite", suite,
                 "--points", "256", "--alone", "no", "--scheme", a.scheme, *options, "--json", part], check=False,
                env={**os.environ, "OMP_NUM_THREADS": str(threads)})
            # If the code is 1, the results say what is wrong, as with tridia_bench.
            if result.returncode not in (0, 1) or not part.exists():
                sys.exit(result.returncode or 2)
            code = max(code, result.returncode)
            parts.append(json.loads(part.read_text(encoding="utf-8")))
    command = ["tridia reproduce cluster", "--device", device, "--ranks", str(ranks), "--scheme", a.scheme,
               *options]
    merged = {**parts[0], "host": parts[-1]["machine"], "command": " ".join(command),
              "rows": [r for part in parts for r in part["rows"]]}
    Path(path).write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
    return code
