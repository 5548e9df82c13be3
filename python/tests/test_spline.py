# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""CubicSpline against SciPy's."""

import numpy as np
import pytest
import scipy.interpolate
from hypothesis import given
from hypothesis import strategies as st

import tridia

NAMES = ("not-a-knot", "natural", "clamped", (1, 0.5), (2, -0.5))


@given(st.integers(2, 12), st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans(),
       st.integers(0, 2), st.booleans(), st.integers(0, 2**32 - 1))
def test_equals_scipy(n, start, end, periodic, axis, is_complex, seed):
    rng = np.random.default_rng(seed)
    x = np.cumsum(0.5 + rng.random(n))
    shape = [2, 3]
    shape.insert(axis, n)
    y = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if is_complex else 0)
    conditions = tuple(c if isinstance(c, str) else (c[0], np.full((2, 3), c[1]))
                       for c in (start, end))
    if periodic:
        np.moveaxis(y, axis, 0)[-1] = np.moveaxis(y, axis, 0)[0]
        conditions = "periodic"
    ours = tridia.CubicSpline(x, y, axis, conditions)
    theirs = scipy.interpolate.CubicSpline(x, y, axis, conditions)
    close = dict(rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.c, theirs.c, **close)
    at = rng.uniform(x[0] - 2, x[-1] + 2, (4, 2))
    for nu in (0, 1, 2, 3, 4):
        np.testing.assert_allclose(ours(at, nu), theirs(at, nu), **close)
    np.testing.assert_allclose(ours(at, extrapolate=False), theirs(at, extrapolate=False), **close)
    assert ours(1.5).shape == theirs(1.5).shape
    np.testing.assert_allclose(ours.derivative()(at), theirs.derivative()(at), **close)
    inside = rng.uniform(x[0], x[-1], 5)
    np.testing.assert_allclose(ours.antiderivative(2)(inside), theirs.antiderivative(2)(inside),
                               **close)
    a, b = x[0] - 0.3, x[-1] + 2.2
    np.testing.assert_allclose(ours.integrate(a, b), theirs.integrate(a, b), **close)


def test_types():
    x = [0, 1, 2, 3]
    assert tridia.CubicSpline(x, np.arange(4)).c.dtype == np.float64
    assert tridia.CubicSpline(x, np.arange(4, dtype="f4"))(0.5).dtype == np.float64
    assert tridia.CubicSpline(x, np.arange(4, dtype="c8")).c.dtype == np.complex128


@pytest.mark.parametrize("arguments, kind, words", [
    (([0, 1, 1], [1, 2, 3]), ValueError, r"x: must increase, but x\[1\] = 1.0 and x\[2\] = 1.0"),
    (([0], [1]), ValueError, r"x: its shape is \(1,\)"),
    (([0, 1, 2], [1, 2]), ValueError, r"y: its shape \(2,\) has 2 entries .* but x has 3"),
    (([0, 1, 2], [1, np.nan, 3]), ValueError, "not finite"),
    (([0, 1, 2], [1, 2, 3], 1), ValueError, "axis: 1 is out of range for 1 axes"),
    (([0, 1, 2], [1, 2, 3], 0, "open"), ValueError, "bc_type: 'open' is none of"),
    (([0, 1, 2], [1, 2, 3], 0, "periodic"), ValueError, "y: its first and last values"),
    (([0, 1, 2], [1, 2, 3], 0, ((3, 0), "natural")), ValueError, "1 or 2, not 3"),
    (([0, 1, 2], [1, 2, 3], 0, ((1, [1, 2]), "natural")), ValueError, "bc_type: a value's shape"),
    (([0, 1, 2], [1, 2, 3], 0, "natural", "maybe"), ValueError, "extrapolate: 'maybe'"),
    (([0, 1, 2], ["a", "b", "c"]), TypeError, "y: is of <U1"),
    (([0, 1j, 2], [1, 2, 3]), TypeError, "x: is of complex128"),
])
def test_bad_input(arguments, kind, words):
    with pytest.raises(kind, match=words):
        tridia.CubicSpline(*arguments)
