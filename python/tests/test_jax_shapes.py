# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests tridia.jax.solve on random shapes, options and mapped axes against dense solves."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jax_support import jax, jnp, solve_dense
import tridia.jax


@st.composite
def systems(draw):
    """Draws diagonals and right-hand sides whose extents are those of the result, 1, or absent."""
    batch = draw(st.lists(st.integers(1, 3), max_size=3))
    n = draw(st.integers(1, 5))
    short = n > 1 and draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    is_complex = draw(st.booleans())

    def array(rows, may_broadcast_rows):
        own = [draw(st.sampled_from((m, 1))) for m in batch]
        own = own[draw(st.integers(0, len(own))):]
        if may_broadcast_rows and draw(st.booleans()):
            rows = 1
        a = rng.standard_normal((*own, rows))
        return a + 1j * rng.standard_normal(a.shape) if is_complex else a

    off = n - 1 if short else n
    dl, du = (array(off, not short) for _ in range(2))
    d, b = array(n, True) + 6, array(n, True)
    if d.shape[-1] == b.shape[-1] == 1 and n > 1:
        b = np.repeat(b, n, -1)
    return dl, d, du, b, n, short


def filled(dl, d, du, b, n, short):
    """Returns the arrays with all their rows."""
    off = n - 1 if short else n
    return [np.broadcast_to(a, (*a.shape[:-1], rows))
            for a, rows in ((dl, off), (d, n), (du, off), (b, n))]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(systems(), st.booleans(), st.sampled_from((None, "T", "H")), st.booleans())
def test_solve_and_its_gradients(drawn, periodic, transpose, pivoting):
    dl, d, du, b, n, short = drawn
    periodic = periodic and not short
    options = dict(periodic=periodic, transpose=transpose)
    expected = solve_dense(*filled(*drawn), **options)
    arrays = tuple(map(jnp.asarray, (dl, d, du, b)))
    x = tridia.jax.solve(*arrays, pivoting=pivoting, **options)
    assert x.shape == expected.shape
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9)

    # A tangent along each operand, against a difference.
    rng = np.random.default_rng(1)
    tangents = tuple(jnp.asarray(rng.standard_normal(a.shape), a.dtype) for a in arrays)
    _, dx = jax.jvp(lambda *a: tridia.jax.solve(*a, **options), arrays, tangents)
    h = 1e-6
    ahead, behind = (
        solve_dense(*filled(*(np.asarray(a + s * h * t) for a, t in zip(arrays, tangents)), n,
                            short), **options) for s in (1, -1))
    np.testing.assert_allclose(dx, (ahead - behind) / (2 * h), rtol=1e-4, atol=1e-5)
    _, pull = jax.vjp(lambda *a: tridia.jax.solve(*a, **options), *arrays)
    g = jnp.asarray(rng.standard_normal(x.shape), x.dtype)
    along = sum(jnp.sum(a * t) for a, t in zip(pull(g), tangents))
    # With "H", x is linear over the real numbers alone.
    np.testing.assert_allclose(along.real, jnp.sum(g * dx).real, rtol=1e-9, atol=1e-9)


MAPPED = st.tuples(*[st.sampled_from((None, 0, 1))] * 4).filter(lambda axes: set(axes) != {None})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 4), st.integers(1, 4), MAPPED)
def test_vmap(size, n, mapped):
    rng = np.random.default_rng(size * 10 + n)
    arrays = [rng.standard_normal((size, n) if m is not None else (n,)) for m in mapped]
    arrays[1] += 6
    expected = solve_dense(*arrays)
    moved = [jnp.asarray(a.T if m == 1 else a) for a, m in zip(arrays, mapped)]
    x = jax.vmap(lambda *a: tridia.jax.solve(*a), in_axes=mapped)(*moved)
    np.testing.assert_allclose(x, expected, rtol=1e-10, atol=1e-10)
