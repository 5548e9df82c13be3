# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python package have in common."""

import os

import numpy as np
import pytest
from hypothesis import settings

import tridia

# Four devices of JAX, so that sharded arrays are tested on a machine without a GPU. It has to be set
# before any test imports JAX.
os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                           " --xla_force_host_platform_device_count=4").strip()

# Tests of PyTorch and CuPy want memory of a GPU, too, of which JAX would take most at once.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

settings.register_profile("tridia", deadline=None, max_examples=100, print_blob=True, database=None)
settings.load_profile("tridia")

TYPES = ("float32", "float64", "complex64", "complex128")


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture(autouse=True)
def names(doctest_namespace):
    doctest_namespace["np"] = np
    doctest_namespace["tridia"] = tridia


def random_array(rng, shape, dtype):
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def dense(dl, d, du, periodic=False):
    """Returns the matrices of diagonals along the last axis, all of n entries."""
    n = d.shape[-1]
    a = np.zeros((*d.shape, n), np.result_type(dl, d, du))
    for i in range(n):
        a[..., i, i] += d[..., i]
        if i > 0 or periodic:
            a[..., i, (i - 1) % n] += dl[..., i]
        if i < n - 1 or periodic:
            a[..., i, (i + 1) % n] += du[..., i]
    return a


def tolerance(dtype):
    return 5e-4 if np.dtype(dtype).itemsize // (2 if np.dtype(dtype).kind == "c" else 1) == 4 else 1e-10
