# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs the example of tridia.jax, and compares the time of a call with that of JAX's own solver."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import jax_support  # noqa: F401: skips where there is no JAX
import tridia

ROOT = Path(__file__).resolve().parents[2]


def test_cable_equation(tmp_path):
    folder = str(Path(tridia.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": folder, "XLA_FLAGS": ""}
    command = [sys.executable, ROOT / "examples/python/cable_equation.py"]
    try:
        import matplotlib  # noqa: F401
        command += ["--png", tmp_path / "cable.png"]
    except ImportError:
        pass
    subprocess.run(command, check=True, env=environment, timeout=300)


@pytest.mark.parametrize("batch, n", [(1, 8), (1, 64), (100, 64)])
def test_a_small_call_takes_as_long_as_that_of_jax(batch, n, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    import jax_call
    ratios = []
    for _ in range(5):  # another program may be running
        ms = {row["solver"]: row["ms_min"] for row in jax_call.measure(batch, n)}
        ratios.append(ms["tridia"] / ms["jax"])
        if ratios[-1] <= 1.5:
            return
    pytest.fail(f"a call takes {min(ratios):.2f} times as long as that of JAX's solver")
