# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""tridia.solve, factor, NearToeplitz and solve_banded against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.linalg
from conftest import TYPES, dense, random_array, tolerance
from hypothesis import given
from hypothesis import strategies as st

import tridia


@st.composite
def problems(draw):
    """Draws arrays with random views, and the dense matrices and right-hand sides that they are."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from(TYPES))
    n = draw(st.integers(1, 17))
    batch = draw(st.lists(st.integers(0, 4), max_size=2))
    axis = draw(st.integers(0, len(batch)))
    shape = (*batch[:axis], n, *batch[axis:])
    periodic = draw(st.booleans())
    short = not periodic and draw(st.booleans())

    def array(rows, broadcast, dominant=0.0):
        s = list(shape)
        s[axis] = rows
        if broadcast and draw(st.booleans()):
            s = [rows] if draw(st.booleans()) else [
                e if k == axis or draw(st.booleans()) else 1 for k, e in enumerate(s)]
        # Strides that are not dense, and negative ones.
        a = random_array(rng, [2 * e for e in s], dtype) + np.asarray(dominant, dtype)
        return a[tuple(slice(None, None, draw(st.sampled_from((2, -2)))) for _ in s)]

    off = n - 1 if short else n
    arrays = array(off, True), array(n, True, 6.0), array(off, True), array(n, False)
    return arrays, axis, periodic, shape


def reference(arrays, axis, periodic, shape, transpose):
    """Solves densely, in double precision."""
    full = []
    for k, a in enumerate(arrays):
        a = a.reshape([-1 if j == axis else 1 for j in range(len(shape))]) if a.ndim == 1 else a
        if k in (0, 2) and a.shape[axis] == shape[axis] - 1:
            pad = [(0, 0)] * a.ndim
            pad[axis] = (1, 0) if k == 0 else (0, 1)
            a = np.pad(a, pad)
        a = np.broadcast_to(a, shape)
        full.append(np.moveaxis(a, axis, -1).astype(np.result_type(a.dtype, np.float64)))
    matrix = dense(*full[:3], periodic)
    if transpose:
        matrix = np.swapaxes(matrix, -1, -2)
        matrix = matrix.conj() if transpose == "H" else matrix
    return np.moveaxis(np.linalg.solve(matrix, full[3][..., None])[..., 0], -1, axis)


@given(problems(), st.sampled_from((None, "T", "H")), st.booleans())
def test_solve_equals_dense(problem, transpose, pivoting):
    arrays, axis, periodic, shape = problem
    x = tridia.solve(*arrays, axis=axis, periodic=periodic, transpose=transpose, pivoting=pivoting)
    assert x.shape == shape and x.dtype == arrays[3].dtype
    wanted = reference(arrays, axis, periodic, shape, transpose)
    np.testing.assert_allclose(x, wanted, rtol=tolerance(x.dtype), atol=tolerance(x.dtype))


@given(problems())
def test_out_in_place_and_status(problem):
    arrays, axis, periodic, shape = problem
    wanted = tridia.solve(*arrays, axis=axis, periodic=periodic)
    batch = shape[:axis] + shape[axis + 1:]
    status = np.full(batch, 7)
    b = arrays[3].copy()
    assert tridia.solve(*arrays[:3], b, axis=axis, periodic=periodic, out=b, status=status) is b
    np.testing.assert_allclose(b, wanted, rtol=tolerance(b.dtype), atol=tolerance(b.dtype))
    assert (status == 0).all()


@given(problems(), st.sampled_from((None, "T")))
def test_factor_equals_solve(problem, transpose):
    arrays, axis, periodic, shape = problem
    factors = tridia.factor(*arrays[:3], shape=arrays[3], axis=axis, periodic=periodic,
                            transpose=transpose)
    assert factors.nbytes == factors.plan.factors_bytes
    x = factors.solve(arrays[3])
    wanted = tridia.solve(*arrays, axis=axis, periodic=periodic, transpose=transpose)
    np.testing.assert_allclose(x, wanted, rtol=tolerance(x.dtype), atol=tolerance(x.dtype))


@given(st.integers(1, 40), st.integers(0, 3), st.sampled_from(TYPES), st.booleans(), st.data())
def test_near_toeplitz_equals_solve(n, k, dtype, periodic, data):
    head = data.draw(st.integers(0, min(n, 2)))
    tail = data.draw(st.integers(0, min(n - head, 2)))
    rows = [(-1.0, 4.0 + i, 0.5 * i - 1.0) for i in range(head + tail)]
    matrix = tridia.NearToeplitz((-1, 4, -1.25), rows[:head], rows[head:])
    b = random_array(np.random.default_rng(n), (k, n), dtype)
    table = np.array([*rows[:head], *[matrix.interior] * (n - head - tail), *rows[head:]])
    wanted = tridia.solve(*table.T.astype(dtype), b, periodic=periodic)
    x = matrix.solve(b, periodic=periodic)
    np.testing.assert_allclose(x, wanted, rtol=tolerance(dtype), atol=tolerance(dtype))
    across = matrix.solve(b.T, axis=0, periodic=periodic)
    np.testing.assert_allclose(across, wanted.T, rtol=tolerance(dtype), atol=tolerance(dtype))


@given(st.integers(2, 30), st.sampled_from(TYPES), st.sampled_from([(), (1,), (3,)]),
       st.integers(0, 2**32 - 1))
def test_solve_banded_equals_scipy(n, dtype, columns, seed):
    rng = np.random.default_rng(seed)
    ab, b = random_array(rng, (3, n), dtype), random_array(rng, (n, *columns), dtype)
    x = tridia.solve_banded((1, 1), ab, b)
    wanted = scipy.linalg.solve_banded((1, 1), ab, b)
    assert x.shape == wanted.shape and x.dtype == wanted.dtype
    residual = dense(np.roll(ab[2], 1), ab[1], np.roll(ab[0], -1)) @ x - b
    theirs = dense(np.roll(ab[2], 1), ab[1], np.roll(ab[0], -1)) @ wanted - b
    assert np.abs(residual).max() <= 20 * np.abs(theirs).max() + 20 * np.finfo(dtype).eps * (
        1 + np.abs(x).max())


def test_solve_banded_like_scipy():
    ab = np.array([[0, 1, 1], [4, 4, 4], [1, 1, 0]])
    b = np.array([1.0, 2.0, 3.0])
    assert tridia.solve_banded((1, 1), ab, b, overwrite_b=True) is b
    with pytest.raises(np.linalg.LinAlgError):
        tridia.solve_banded((1, 1), np.zeros((3, 3)), b)
    with pytest.raises(ValueError, match="infs or NaNs"):
        tridia.solve_banded((1, 1), ab, [np.nan, 0, 0])
    with pytest.raises(ValueError, match=r"l_and_u: is \(2, 1\)"):
        tridia.solve_banded((2, 1), ab, b)
    batch = tridia.solve_banded((1, 1), np.stack([ab, ab + 1]), np.ones((2, 3, 4)))
    for k in range(2):
        np.testing.assert_allclose(
            batch[k], scipy.linalg.solve_banded((1, 1), ab + k, np.ones((3, 4))))


def test_promotion():
    b = np.arange(4)
    assert tridia.solve(1, 4, 1, b).dtype == np.float64
    assert tridia.solve(1, 4, 1, b.astype("f2")).dtype == np.float32
    assert tridia.solve(1, 4j, 1, b).dtype == np.complex128
    assert tridia.solve(np.float32(1), np.full(4, 4, "f4"), 1, b.astype("c8")).dtype == np.complex64
    assert tridia.solve(1, 4, 1, b.astype(">f8")).dtype == np.float64
    x = tridia.solve([1, 1, 1], [4, 4, 4, 4], [1, 1, 1], [1, 2, 3, 4])
    np.testing.assert_allclose(x, tridia.solve(1, 4, 1, [1, 2, 3, 4.0]))


def test_one_right_hand_side_for_many_matrices(rng):
    d = 4 + rng.random((5, 7))
    x = tridia.solve(1.0, d, 1.0, np.ones(7))
    for k in range(5):
        np.testing.assert_allclose(x[k], tridia.solve(1.0, d[k], 1.0, np.ones(7)))


def test_layout_of_result(rng):
    b = np.asfortranarray(rng.random((4, 6, 5)))
    assert tridia.solve(-1.0, 4.0, -1.0, b).flags.f_contiguous


def test_singular():
    d = np.full((2, 3, 4), 4.0)
    d[1, 2] = 0
    out = np.empty((2, 3, 4))
    off = np.zeros(4)
    with pytest.raises(tridia.SingularError, match="1 of 6 systems are singular; the first is") as e:
        tridia.solve(off, d, off, np.ones((2, 3, 4)), out=out)
    assert isinstance(e.value, np.linalg.LinAlgError) and isinstance(e.value, tridia.Error)
    assert e.value.status.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert np.isnan(out[1, 2]).all() and (out.reshape(-1, 4)[:5] == 0.25).all()
    status = np.empty((2, 3), int)
    tridia.solve(off, d, off, np.ones((2, 3, 4)), out=out, status=status)
    assert status[1, 2] == 1
    d[1, 2] = np.nan
    assert np.isnan(tridia.solve(off, d, off, np.ones((2, 3, 4)))[1, 2]).all()
    with pytest.raises(tridia.SingularError):
        tridia.NearToeplitz((0, 0, 0)).solve(np.ones(3))


def test_read_only_inputs(rng):
    b = rng.random((3, 4))
    b.flags.writeable = False
    x = tridia.solve(np.broadcast_to(-1.0, (3, 4)), np.broadcast_to(4.0, (4,)), -1.0, b)
    np.testing.assert_allclose(x, tridia.solve(-1.0, 4.0, -1.0, b))


@pytest.mark.parametrize("systems", [3, 9, 13])
def test_broadcast_along_the_axis(systems, rng):
    d, off = 4 + rng.random((1, systems)), rng.random((1, systems))
    b = rng.random((5, systems))
    full = [np.repeat(a, 5, 0) for a in (off, d, off)]
    np.testing.assert_allclose(tridia.solve(off, d, off, b, axis=0),
                               tridia.solve(*full, b, axis=0))
