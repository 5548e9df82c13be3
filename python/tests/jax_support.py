# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Random systems, and their solution by NumPy, for the tests of tridia.jax."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.5.3")
jnp = jax.numpy
# Derivatives are compared with differences, which float32 is too coarse for.
jax.config.update("jax_enable_x64", True)
# A GPU has tests of its own.
jax.config.update("jax_default_device", jax.devices("cpu")[0])


def random_array(rng, shape, dtype=np.float64):
    a = rng.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        a = a + 1j * rng.standard_normal(shape)
    return jnp.asarray(a, dtype)


def random_systems(shape, matrix_shape=None, dtype=np.float64, seed=0, short=False):
    """Returns dl, d, du, b with a dominant diagonal; `matrix_shape` is that of the diagonals."""
    rng = np.random.default_rng(seed)
    matrix_shape = matrix_shape or shape
    off = matrix_shape[:-1] + (matrix_shape[-1] - bool(short),)
    dl, du = (random_array(rng, off, dtype) for _ in range(2))
    return dl, random_array(rng, matrix_shape, dtype) + 5, du, random_array(rng, shape, dtype)


def dense(dl, d, du, periodic=False, transpose=None):
    """Returns one matrix of n rows; off-diagonals may be one entry shorter."""
    dl, d, du = (np.asarray(a) for a in (dl, d, du))
    n = len(d)
    if len(dl) < n:
        dl, du = np.append(0, dl), np.append(du, 0)
    a = np.diag(d)
    for i in range(n):
        if i > 0 or periodic:
            a[i, i - 1] += dl[i]
        if i < n - 1 or periodic:
            a[i, (i + 1) % n] += du[i]
    return {None: a, "T": a.T, "H": a.conj().T}[transpose]


def solve_dense(dl, d, du, b, **matrix):
    """Solves along the last axis, one system after another."""
    batch = np.broadcast_shapes(*(np.shape(a)[:-1] for a in (dl, d, du, b)))
    dl, d, du, b = (np.broadcast_to(a, batch + np.shape(a)[-1:]) for a in (dl, d, du, b))
    x = np.empty(b.shape, np.result_type(d, b))
    for k in np.ndindex(batch):
        x[k] = np.linalg.solve(dense(dl[k], d[k], du[k], **matrix), b[k])
    return x
