# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests what tridia.jax.solve computes, for which arguments, and what it refuses."""

import doctest
import resource
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from jax_support import dense, jax, jnp, random_systems, solve_dense
import tridia.jax

TOLERANCE = {np.float32: 1e-4, np.complex64: 1e-4, np.float64: 1e-11, np.complex128: 1e-11}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("transpose", [None, "T", "H"])
def test_types_and_boundaries(dtype, periodic, transpose):
    systems = random_systems((3, 7), dtype=dtype)
    x = tridia.jax.solve(*systems, periodic=periodic, transpose=transpose)
    assert x.dtype == dtype
    expected = solve_dense(*systems, periodic=periodic, transpose=transpose)
    np.testing.assert_allclose(x, expected, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("n", [1, 2, 3, 17, 300])
@pytest.mark.parametrize("periodic", [False, True])
def test_lengths(n, periodic):
    systems = random_systems((2, n))
    np.testing.assert_allclose(tridia.jax.solve(*systems, periodic=periodic),
                               solve_dense(*systems, periodic=periodic), atol=1e-11)


@pytest.mark.parametrize("matrix_shape", [(6,), (1, 6), (4, 6), (3, 4, 6), (3, 1, 6)])
def test_broadcast_diagonals(matrix_shape):
    systems = random_systems((3, 4, 6), matrix_shape)
    np.testing.assert_allclose(tridia.jax.solve(*systems), solve_dense(*systems), atol=1e-11)


def test_each_diagonal_broadcasts_by_itself():
    dl, d, du, b = random_systems((3, 4, 6))
    systems = dl[0, 0], d, du[:, :1], b
    np.testing.assert_allclose(tridia.jax.solve(*systems), solve_dense(*systems), atol=1e-11)


def test_diagonals_that_are_one_number():
    b = random_systems((3, 6))[3]
    x = tridia.jax.solve(-1.0, 4.0, jnp.full((3, 1), -1.0), b)
    full = [jnp.full(6, v) for v in (-1.0, 4.0, -1.0)]
    np.testing.assert_allclose(x, solve_dense(*full, b), atol=1e-11)


def test_more_matrices_than_right_hand_sides():
    dl, d, du, _ = random_systems((5, 6))
    b = random_systems((6,))[3]
    np.testing.assert_allclose(tridia.jax.solve(dl, d, du, b), solve_dense(dl, d, du, b),
                               atol=1e-11)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_axis(axis):
    dl, d, du, b = (np.moveaxis(a, -1, axis) for a in random_systems((3, 4, 6)))
    x = tridia.jax.solve(dl, d, du, b, axis=axis)
    expected = solve_dense(*(np.moveaxis(a, axis, -1) for a in (dl, d, du, b)))
    np.testing.assert_allclose(x, np.moveaxis(expected, -1, axis), atol=1e-11)


def test_several_right_hand_sides():
    dl, d, du, b = random_systems((5, 6))
    bs = jnp.stack([b, 2 * b, b - 1], axis=-1)
    x = tridia.jax.solve(dl[..., None], d[..., None], du[..., None], bs, axis=1)
    for k in range(3):
        np.testing.assert_allclose(x[..., k], solve_dense(dl, d, du, bs[..., k]), atol=1e-11)


@pytest.mark.parametrize("transpose", [None, "T"])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_short_off_diagonals(n, transpose):
    systems = random_systems((4, n), short=True)
    np.testing.assert_allclose(tridia.jax.solve(*systems, transpose=transpose),
                               solve_dense(*systems, transpose=transpose), atol=1e-11)


def test_pivoting_is_the_default():
    n = 8
    off = jnp.ones(n)
    d = jnp.zeros(n)
    b = jnp.arange(1.0, n + 1)
    x = tridia.jax.solve(off, d, off, b)
    np.testing.assert_allclose(dense(off, d, off) @ x, b, atol=1e-12)


def test_entries_outside_the_matrix_are_not_read():
    dl, d, du, b = random_systems((2, 5))
    spoilt = dl.at[:, 0].set(jnp.nan), d, du.at[:, -1].set(jnp.inf), b
    np.testing.assert_array_equal(tridia.jax.solve(*spoilt), tridia.jax.solve(dl, d, du, b))
    for g in jax.grad(lambda *a: tridia.jax.solve(*a).sum(), argnums=(0, 1, 2, 3))(*spoilt):
        assert np.isfinite(g).all()


def test_a_singular_system_is_nan_and_no_other():
    dl, d, du, b = random_systems((3, 5))
    singular = dl.at[1].set(0), d.at[1, 2].set(0), du.at[1].set(0), b
    x = tridia.jax.solve(*singular)
    assert np.isnan(x[1]).all()
    np.testing.assert_array_equal(x[::2], tridia.jax.solve(dl, d, du, b)[::2])


def test_integers_and_lists():
    x = tridia.jax.solve([0, 1, 1], jnp.array([4, 4, 4]), np.array([1, 1, 0]), jnp.array([5, 6, 5]))
    assert x.dtype == np.float64
    np.testing.assert_allclose(x, [1, 1, 1], atol=1e-14)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0)])
def test_no_elements(shape):
    systems = [jnp.ones(shape)] * 4
    assert tridia.jax.solve(*systems).shape == shape
    assert jax.grad(lambda b: tridia.jax.solve(*systems[:3], b).sum())(systems[3]).shape == shape


def test_named_algorithm_and_threads():
    systems = random_systems((4, 9))
    x = tridia.jax.solve(*systems, algorithm="thomas", pivoting=False, threads=1)
    np.testing.assert_allclose(x, solve_dense(*systems), atol=1e-11)


@pytest.mark.parametrize("arguments, options, kind, words", [
    (((5,),) * 4, {"axis": 1}, ValueError, "axis: 1 is out of range for 1 axis"),
    (((5,),) * 4, {"axis": 0.5}, TypeError, "axis: must be an integer, not float"),
    (((5,),) * 4, {"transpose": "X"}, ValueError, "transpose: must be .* not 'X'"),
    (((5,),) * 4, {"periodic": 1.0}, TypeError, "periodic: must be True or False"),
    (((5,),) * 4, {"threads": -1}, ValueError, "threads: -1 is not from 0"),
    (((5,),) * 4, {"algorithm": "magic"}, ValueError, "algorithm: 'magic' is none of automatic"),
    (((5,),) * 4, {"out": np.ones(5)}, TypeError, "out: is not for arrays of JAX"),
    (((5,),) * 4, {"stream": 0}, TypeError, "stream: is not for arrays of JAX"),
    (((4,), (5,), (5,), (5,)), {}, ValueError, r"dl: its shape \(4,\) .* 4 entries"),
    (((5,), (5,), (3,), (5,)), {}, ValueError, r"du: its shape \(3,\) .* there must be 5"),
    (((5,), (6,), (5,), (5,)), {}, ValueError, r"d: its shape \(6,\) .* 6 and 5 rows"),
    (((4,), (5,), (4,), (5,)), {"periodic": True}, ValueError, "dl: .* 4 entries .* must be 5"),
    (((5,), (2, 5), (5,), (3, 5)), {}, ValueError, r"d: its shape \(2, 5\) .* \(3, 5\)"),
    (((), (), (), ()), {}, ValueError, "b: has no axis"),
])
def test_bad_arguments(arguments, options, kind, words):
    with pytest.raises(kind, match=words):
        tridia.jax.solve(*map(jnp.ones, arguments), **options).block_until_ready()


def test_bad_types():
    a = jnp.ones(5)
    for wrong in ("text", None, object(), {1: 2}):
        with pytest.raises(TypeError, match="du: must be an array"):
            tridia.jax.solve(a, a, wrong, a)
    with pytest.raises(TypeError, match="b: "):
        tridia.jax.solve(a, a, a, np.array(["text"]))


def test_halves_are_computed_in_float32():
    for dtype in (jnp.float16, jnp.bfloat16):
        assert tridia.jax.solve(0, 2, 0, jnp.ones(5, dtype)).dtype == jnp.float32


def test_tridia_solve_takes_arrays_of_jax():
    systems = random_systems((3, 7))
    x = tridia.solve(*systems)
    assert isinstance(x, jax.Array)
    np.testing.assert_array_equal(x, tridia.jax.solve(*systems))
    mixed = [np.asarray(a) for a in systems[:3]]
    np.testing.assert_array_equal(tridia.solve(*mixed, systems[3]), x)
    np.testing.assert_array_equal(jax.jit(lambda *a: tridia.solve(*a, axis=-1))(*systems), x)
    with pytest.raises(TypeError, match="status: is not for arrays of JAX"):
        tridia.solve(*systems, status=np.zeros(3, int))


@pytest.mark.parametrize("shapes, axis", [
    (((4,), (1, 4), (), (4,)), -1), (((1,), (3, 4), (4,), (1,)), 1),
    (((4,), (4, 2), (1,), (4,)), 0), (((3,), (2, 4), (2, 3), (2, 1)), -1), (((1,),) * 4, 0),
    (((1,), (1,), (1,), (3, 2, 1)), 2), (((2, 1), (1,), (2, 1), (2, 2)), -1)])
def test_operands_broadcast_as_those_of_numpy(shapes, axis):
    rng = np.random.default_rng(3)
    dl, d, du, b = (rng.standard_normal(s) for s in shapes)
    x = tridia.jax.solve(*map(jnp.asarray, (dl, d + 5, du, b)), axis=axis)
    expected = tridia.solve(*map(np.asarray, (dl, d + 5, du, b)), axis=axis)
    np.testing.assert_allclose(x, expected, atol=1e-12)


def test_threads_call_at_the_same_time():
    """XLA calls the handlers from its own threads, without Python's lock."""
    cases = [random_systems((k % 7 + 1, k + 2), seed=k) for k in range(24)]
    expected = [solve_dense(*systems) for systems in cases]

    def check(k):
        for _ in range(20):
            np.testing.assert_allclose(tridia.jax.solve(*cases[k]), expected[k], atol=1e-10)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(check, range(len(cases))))


def test_calls_do_not_grow_memory():
    systems = random_systems((4, 16))

    def call(times):
        for _ in range(times):
            tridia.jax.solve(*systems).block_until_ready()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert call(10000) - call(1000) <= 1024 or call(10000) - call(1000) <= 1024


def test_examples_of_the_docstrings():
    results = doctest.testmod(tridia.jax)
    assert results.attempted > 15 and results.failed == 0
