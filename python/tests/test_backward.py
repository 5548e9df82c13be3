# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The backward pass of a solve, on NumPy arrays: one call for all gradients, sums included."""

import itertools

import numpy as np
import pytest

from conftest import TYPES, dense, random_array, tolerance
import tridia
from tridia import _native

NAMES = ("dl", "d", "du", "b")


def backward(dl, d, du, x, g, to, *, axis=-1, periodic=False, transpose=None, conjugate=False):
    _native.backward(dl, d, du, x, g, axis, periodic, True, transpose, conjugate, *to, None, 0,
                     False, -1, 0, None)


def expected(dl, d, du, x, g, periodic, transpose, conjugate):
    """Returns the gradients of whole diagonals and b along the last axis, by dense matrices."""
    n, a = x.shape[-1], dense(dl, d, du, periodic)
    a = {None: a, "T": np.swapaxes(a, -1, -2), "H": np.swapaxes(a, -1, -2).conj()}[transpose]
    adjoint = np.swapaxes(a, -1, -2)
    y = np.linalg.solve(adjoint.conj() if conjugate else adjoint, g[..., None])[..., 0]
    of_op = -y[..., :, None] * (x.conj() if conjugate else x)[..., None, :]
    of_a = of_op if transpose is None else np.swapaxes(of_op, -1, -2)
    of_a = of_a.conj() if transpose == "H" else of_a
    k = np.arange(n)
    grads = [of_a[..., k, k - 1], of_a[..., k, k], of_a[..., k, (k + 1) % n], y]
    if not periodic:
        grads[0][..., 0] = grads[2][..., -1] = 0
    return grads


def fit(gradient, shape):
    axes = tuple(k for k, e in enumerate(shape) if e == 1 and gradient.shape[k] != 1)
    return gradient.sum(axes, keepdims=True)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("matrix_shape", [(3, 4, 6), (1, 1, 6), (3, 1, 6), (1, 4, 1)])
@pytest.mark.parametrize("periodic, transpose, conjugate", [
    (False, None, False), (False, None, True), (True, "T", False), (False, "T", True),
    (True, "H", True), (False, "H", False)])
def test_gradients(dtype, matrix_shape, periodic, transpose, conjugate, rng):
    dl, d, du = (random_array(rng, matrix_shape, dtype) for _ in range(3))
    d = d + np.array(8, dtype)
    b, g = (random_array(rng, (3, 4, 6), dtype) for _ in range(2))
    x = tridia.solve(dl, d, du, b, periodic=periodic, transpose=transpose)
    whole = [np.broadcast_to(a, b.shape) for a in (dl, d, du)]
    wanted = expected(*whole, x, g, periodic, transpose, conjugate)
    for chosen in itertools.product((True, False), repeat=3):
        to = [np.full_like(a, np.nan) if c else None for a, c in zip((dl, d, du), chosen)]
        to.append(np.full_like(b, np.nan))
        backward(dl, d, du, x, g, to, periodic=periodic, transpose=transpose, conjugate=conjugate)
        for name, gradient, exact in zip(NAMES, to, wanted):
            if gradient is not None:
                np.testing.assert_allclose(gradient, fit(exact, gradient.shape),
                                           atol=10 * tolerance(dtype), err_msg=name)
    if not periodic and matrix_shape[-1] == 6:
        to = [np.full_like(a, np.nan) for a in (dl, d, du, b)]
        backward(dl, d, du, x, g, to, transpose=transpose, conjugate=conjugate)
        assert (to[0][..., 0] == 0).all() and (to[2][..., -1] == 0).all()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_short_off_diagonals_and_another_axis(n, rng):
    dl, du = (rng.standard_normal((n - 1, 1)) for _ in range(2))
    d, b, g = rng.standard_normal((n, 1)) + 8, *(rng.standard_normal((n, 7)) for _ in range(2))
    x = tridia.solve(dl, d, du, b, axis=0)
    to = [np.full_like(a, np.nan) for a in (dl, d, du, b)]
    backward(dl, d, du, x, g, to, axis=0)
    whole = [np.broadcast_to(a.T, (7, n)) for a in (np.append([[0]], dl, 0), d,
                                                   np.append(du, [[0]], 0))]
    exact = expected(*whole, x.T, g.T, False, None, False)
    for gradient, e in zip(to, (exact[0][:, 1:], exact[1], exact[2][:, :-1], exact[3])):
        np.testing.assert_allclose(gradient, fit(e, gradient.T.shape).T, atol=1e-12)


def test_a_gradient_need_not_be_summed_and_may_have_strides(rng):
    d, b, g = np.full((1, 6), 4.0), rng.standard_normal((5, 6)), np.ones((1, 6))
    off = np.full((1, 1), -1.0)
    x = tridia.solve(off, d, off, b)
    g = np.broadcast_to(g, b.shape)
    each, out = np.empty((5, 12))[:, ::2], np.empty((6, 5)).T
    backward(off, d, off, x, g, [None, each, None, out])
    np.testing.assert_allclose(out, tridia.solve(off, d, off, g, transpose="T"), atol=1e-14)
    np.testing.assert_allclose(each, -out * x, atol=1e-14)
    again = np.empty_like(d)
    backward(off, d, off, x, g, [None, again, None, out])
    np.testing.assert_allclose(again, each.sum(0, keepdims=True), atol=1e-13)


def test_sums_have_the_same_bits_in_every_run(rng):
    d, b = rng.standard_normal((1, 33)) + 6, rng.standard_normal((5000, 33))
    off = np.ones((1, 33))
    x, runs = tridia.solve(off, d, off, b), []
    for _ in range(5):
        to = [np.empty_like(d) for _ in range(3)] + [np.empty_like(b)]
        backward(off, d, off, x, b, to)
        runs.append(np.concatenate([t.ravel() for t in to]))
    assert all(np.array_equal(r, runs[0]) for r in runs)


def test_plans_are_kept_and_dropped():
    _native.clear_backward_plans()
    for n in (*range(1, 140), 139, 139):
        a = np.full((1, n), 4.0)
        backward(a, a, a, a, a, [None, np.empty_like(a), None, np.empty_like(a)])
        assert _native.cached_backward_plans() == min(n, 128)


@pytest.mark.parametrize("shape", [(0, 5), (4, 0), (0, 0)])
def test_arrays_without_elements(shape):
    d, b = np.full((1, shape[1]), 4.0), np.ones(shape)
    to = [np.full_like(d, 7.0) for _ in range(3)] + [np.empty_like(b)]
    backward(d, d, d, tridia.solve(d, d, d, b), b, to)
    assert all((t == 0).all() for t in to[:3])


def test_a_singular_system_has_gradients_of_nan_and_no_other():
    d = np.full((3, 4), 2.0)
    d[1] = 0
    zero, b = np.zeros_like(d), np.ones_like(d)
    to = [np.empty_like(d) for _ in range(4)]
    backward(zero, d, zero, b, b, to)
    assert np.isnan(to[1][1]).all() and np.isnan(to[3][1]).all()
    assert np.isfinite(to[1][[0, 2]]).all() and (to[0][:, 0] == 0).all()


def test_bad_input(rng):
    d, b = np.full((1, 6), 4.0), np.ones((5, 6))
    good = [d, d, d, b, b, [None, np.empty_like(d), None, np.empty_like(b)]]

    def call(position, value):
        backward(*(value if k == position else a for k, a in enumerate(good)))

    def call_to(position, value):
        call(5, [value if k == position else t for k, t in enumerate(good[5])])

    backward(*good)
    with pytest.raises(ValueError, match=r"g: its shape is \(6,\)"):
        call(4, np.ones(6))
    with pytest.raises(TypeError, match="g: is of float32"):
        call(4, b.astype("f4"))
    with pytest.raises(ValueError, match=r"to_d: its shape \(2, 6\) does not broadcast"):
        call_to(1, np.empty((2, 6)))
    with pytest.raises(ValueError, match=r"to_dl: its shape \(1, 5\) does not broadcast"):
        call_to(0, np.empty((1, 5)))
    with pytest.raises(ValueError, match="to_b: is read-only"):
        call_to(3, np.broadcast_to(np.ones(6), (5, 6)))
    with pytest.raises(ValueError, match="to_b: its shape"):
        call_to(3, np.empty((1, 6)))
    with pytest.raises((TypeError, ValueError), match="to_b"):
        call_to(3, None)
    with pytest.raises(ValueError):
        call_to(3, b)  # x itself, which is still needed
