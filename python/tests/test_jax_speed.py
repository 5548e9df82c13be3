# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Compares the time of a call of tridia.jax with that of JAX's own solver."""

from pathlib import Path

import pytest

import jax_support  # noqa: F401: skips where there is no JAX

ROOT = Path(__file__).resolve().parents[2]


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
