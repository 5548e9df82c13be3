# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests splines through arrays of JAX: values, derivatives, transformations."""

import numpy as np
import pytest

from jax_support import jax, jnp, random_array
import tridia
from jax.test_util import check_grads


@pytest.mark.parametrize("condition", ["not-a-knot", "natural", "periodic", ((1, 0.5), (2, 0.1))])
def test_splines(condition):
    rng = np.random.default_rng(6)
    x = jnp.cumsum(0.5 + jnp.asarray(rng.random(8)))
    y = random_array(rng, (8, 3))
    at = jnp.linspace(x[0], x[-1], 7) + 0.01

    def values(x, y):
        y = jnp.asarray(y)
        closed = y.at[-1].set(y[0]) if condition == "periodic" else y
        return tridia.CubicSpline(jnp.asarray(x), closed, bc_type=condition)(at)

    closed = np.asarray(y.at[-1].set(y[0]) if condition == "periodic" else y)
    expected = tridia.CubicSpline(np.asarray(x), closed, bc_type=condition)(np.asarray(at))
    np.testing.assert_allclose(values(x, y), expected, atol=1e-12)
    np.testing.assert_allclose(jax.jit(values)(x, y), expected, atol=1e-12)
    mapped = jax.vmap(lambda y: values(x, y), in_axes=1, out_axes=1)(y)
    np.testing.assert_allclose(mapped, expected, atol=1e-12)
    check_grads(values, (x, y), order=1)
