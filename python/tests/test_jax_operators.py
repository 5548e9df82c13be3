# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests the compact operators of tridia.jax on fields whose derivatives are known."""

import numpy as np
import pytest

from jax_support import jax, jnp
import tridia.jax

N = 64
H = 2 * np.pi / N
X = jnp.arange(N) * H


@pytest.mark.parametrize("order, expected", [(1, jnp.cos(X)), (2, -jnp.sin(X))])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_derivatives_of_a_sine(order, expected, axis):
    shape = [1, 1]
    shape[axis] = N
    f = jnp.sin(X).reshape(shape) * jnp.ones((N, N))
    df = tridia.jax.derivative(f, H, order=order, axis=axis, periodic=True)
    np.testing.assert_allclose(df, expected.reshape(shape) * jnp.ones((N, N)), atol=1e-6)


def test_staggered():
    middle = X + H / 2
    options = {"periodic": True}
    np.testing.assert_allclose(tridia.jax.interpolate(jnp.sin(X), **options), jnp.sin(middle),
                               atol=1e-6)
    np.testing.assert_allclose(
        tridia.jax.interpolate(jnp.sin(middle), to="points", **options), jnp.sin(X + H), atol=1e-1)
    df = tridia.jax.derivative(jnp.sin(X), H, staggering="to_midpoints", **options)
    np.testing.assert_allclose(df, jnp.cos(middle), atol=1e-6)
    assert tridia.jax.interpolate(X).shape == (N - 1,)
    assert tridia.jax.interpolate(X, to="points").shape == (N + 1,)


def test_closures_are_exact_for_their_polynomials():
    f = X ** 3
    np.testing.assert_allclose(tridia.jax.derivative(f, H), 3 * X ** 2, atol=1e-9)
    df = tridia.jax.derivative(f, H, scheme="C4", closure="3-4-3")
    np.testing.assert_allclose(df, 3 * X ** 2, atol=1e-9)


def test_mapped_and_jitted():
    f = jnp.sin(X) * jnp.arange(1.0, 13).reshape(3, 4, 1)
    one = lambda f: tridia.jax.derivative(f, H, periodic=True)
    np.testing.assert_array_equal(jax.jit(jax.vmap(jax.vmap(one)))(f), one(f))
    moved = jax.vmap(jax.vmap(one, in_axes=1, out_axes=1), in_axes=1, out_axes=1)
    np.testing.assert_array_equal(moved(jnp.moveaxis(f, -1, 0)), jnp.moveaxis(one(f), -1, 0))


def test_gradient_of_a_field():
    x, y = jnp.meshgrid(X, X, indexing="ij")
    fx, fy = tridia.jax.gradient(jnp.sin(x) * jnp.cos(2 * y), H, periodic=True)
    np.testing.assert_allclose(fx, jnp.cos(x) * jnp.cos(2 * y), atol=1e-5)
    np.testing.assert_allclose(fy, -2 * jnp.sin(x) * jnp.sin(2 * y), atol=1e-4)


def test_schemes_and_closures_of_ones_own():
    row = tridia.Row(first=-1, weights=(-0.5, 0, 0.5))
    central = tridia.Scheme("central", "first_derivative", "none", row)
    one_sided = tridia.Closure("one-sided", "first_derivative", "none",
                               [tridia.Row(first=0, weights=(-1.5, 2, -0.5))])
    df = tridia.jax.derivative(X ** 2, H, scheme=central, closure=one_sided)
    np.testing.assert_allclose(df, 2 * X, atol=1e-12)
    periodic = tridia.jax.derivative(jnp.sin(X), H, scheme=central, periodic=True)
    np.testing.assert_allclose(periodic, jnp.cos(X) * jnp.sin(H) / H, atol=1e-12)


def test_functions_of_tridia_take_arrays_of_jax():
    f = np.sin(np.outer(X, X[:9]))
    calls = (lambda f: tridia.derivative(f, H, axis=0), lambda f: tridia.interpolate(f, axis=0),
             lambda f: tridia.filter(f, alpha=0.3, axis=0), lambda f: tridia.gradient(f, H)[1],
             lambda f: tridia.derivative(f, H, closure="4-4-6-4-4", ends=("closure", "symmetric")))
    for call in calls:
        out = call(jnp.asarray(f))
        assert isinstance(out, jax.Array)
        np.testing.assert_allclose(out, call(f), atol=1e-12)
        np.testing.assert_allclose(jax.jit(call)(jnp.asarray(f)), out, atol=1e-12)


@pytest.mark.parametrize("call, kind, words", [
    (lambda: tridia.jax.derivative(X, order=5), ValueError, "order: 5"),
    (lambda: tridia.jax.derivative(X, scheme="C5"), ValueError, "C5"),
    (lambda: tridia.jax.derivative(X, closure="3-4-3"), ValueError, "3-4-3"),
    (lambda: tridia.jax.derivative(X, axis=1), ValueError, "axis: 1 is out"),
    (lambda: tridia.jax.derivative(X, ends="mirror"), ValueError, "mirror"),
    (lambda: tridia.jax.derivative(X[:2]), ValueError, "needs 4 or more"),
    (lambda: tridia.jax.derivative(X, 0.0), ValueError, "spacing"),
    (lambda: tridia.jax.derivative(X, metric=[1, 2]), ValueError, "metric"),
    (lambda: tridia.jax.interpolate(X, to="edges"), ValueError, "to: 'edges'"),
    (lambda: tridia.jax.filter(X, alpha=0.7), ValueError, "alpha"),
    (lambda: tridia.jax.filter("text"), TypeError, "f: must be an array"),
    (lambda: tridia.jax.filter(X, out=X), TypeError, "out: is not for arrays of JAX"),
    (lambda: tridia.jax.derivative(X, scheme=6), TypeError, "scheme: must be a name"),
    (lambda: tridia.jax.gradient(X, [1, 2]), ValueError, "spacing: has 2"),
    (lambda: jax.jit(lambda h: tridia.jax.derivative(X, h))(0.1), TypeError, "spacing: is traced"),
])
def test_bad_arguments(call, kind, words):
    with pytest.raises(kind, match=words):
        call().block_until_ready()
