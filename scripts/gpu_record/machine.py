# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Describes the machine, as its driver does."""

import re
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    card: str
    gpus: int
    driver: str
    cuda: str  # the newest version that the driver knows


def _nvidia_smi(*options):
    try:
        run = subprocess.run(["nvidia-smi", *options], capture_output=True, text=True, timeout=60,
                             check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout


def find_machine():
    """Returns the machine, or None if no GPU is visible."""
    listed = _nvidia_smi("--query-gpu=name,driver_version", "--format=csv,noheader")
    lines = (line for line in listed.splitlines() if "," in line)
    rows = [[cell.strip() for cell in line.split(",")] for line in lines]
    if not rows:
        return None
    cuda = re.search(r"CUDA Version: *([\d.]+)", _nvidia_smi())
    names = sorted({name for name, _ in rows})
    return Machine(" and ".join(names), len(rows), rows[0][1], cuda[1] if cuda else "unknown")
