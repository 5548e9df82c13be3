# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Operators and the one-call forms on fields."""

import numpy as np
import pytest
from conftest import TYPES, random_array, tolerance
from hypothesis import given
from hypothesis import strategies as st

import tridia

DERIVATIVES = {"first_derivative": 1, "second_derivative": 2, "third_derivative": 3,
               "fourth_derivative": 4}
SCHEMES = [(q, s, name) for q in (*DERIVATIVES, "interpolation", "filter")
           for s in ("none", "to_midpoints", "to_points") for name in tridia.schemes(q, s)]


def dense_operator(op):
    """Returns the matrix of an operator on one line."""
    n = op.shape[0]
    return np.stack([op(np.eye(n)[k]) for k in range(n)], axis=1)


@pytest.mark.parametrize("quantity, staggering, name", SCHEMES)
@pytest.mark.parametrize("periodic", [False, True])
def test_adjoint(quantity, staggering, name, periodic, rng):
    scheme = tridia.Scheme.named(quantity, name, staggering)
    for dtype in ("float64", "complex128"):
        op = tridia.Operator(scheme, (3, 24, 2), dtype, axis=1, periodic=periodic, spacing=0.3)
        u = random_array(rng, op.shape, dtype)
        v = random_array(rng, op.out_shape, dtype)
        forward, back = np.vdot(v, op(u)), np.vdot(op.T(v), u)
        assert abs(forward - back) <= 1e-12 * np.linalg.norm(op(u)) * np.linalg.norm(v)
        assert op.T.T is op and op.T.shape == op.out_shape and op.T.out_shape == op.shape


@given(st.sampled_from(SCHEMES), st.sampled_from(TYPES), st.booleans(),
       st.integers(0, 2), st.integers(0, 2**32 - 1))
def test_any_axis_layout_and_type(which, dtype, periodic, axis, seed):
    rng = np.random.default_rng(seed)
    quantity, staggering, name = which
    shape = [2, 3, 4]
    shape[axis] = 18
    # Strides that are not dense.
    f = random_array(rng, [2 * e for e in shape], dtype)[::2, ::-2, 1::2]
    scheme = tridia.Scheme.named(quantity, name, staggering)
    line = tridia.Operator(scheme, (18,), "float64", periodic=periodic, spacing=0.5)
    wanted = np.moveaxis(np.tensordot(dense_operator(line), f, (1, axis)), 0, axis)
    common = dict(axis=axis, periodic=periodic, scheme=name)
    if quantity == "interpolation":
        call = lambda **more: tridia.interpolate(f, to=staggering[3:], **common, **more)
    elif quantity == "filter":
        call = lambda **more: tridia.filter(f, **common, **more)
    else:
        call = lambda **more: tridia.derivative(f, 0.5, order=DERIVATIVES[quantity],
                                                staggering=staggering, **common, **more)
    x = call()
    scale = 30 * tolerance(dtype)
    assert x.dtype == dtype and x.shape == wanted.shape
    np.testing.assert_allclose(x, wanted, rtol=scale, atol=scale)
    out = np.zeros([2 * e for e in wanted.shape], dtype)[:, ::2][::2, :, ::-2]
    assert call(out=out) is out
    np.testing.assert_allclose(out, wanted, rtol=scale, atol=scale)
    call(out=out, add=-1.0)
    np.testing.assert_allclose(out, 0, atol=scale)


def test_order_of_convergence():
    errors = []
    for n in (32, 64):
        x = np.linspace(0, 1, n + 1)
        errors.append(abs(tridia.derivative(np.sin(5 * x), x[1], closure="5-5-6-5-5")
                          - 5 * np.cos(5 * x)).max())
    assert errors[0] / errors[1] > 2**4.7


@pytest.mark.parametrize("quantity, order", DERIVATIVES.items())
def test_every_derivative(quantity, order):
    """Each order has schemes of its own, closed and periodic, and its power of the spacing."""
    x = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    exact = np.sin(x + order * np.pi / 2)
    for scheme in tridia.schemes(quantity):
        for periodic, bound in ((True, 2e-4), (False, 2e-2)):
            found = tridia.derivative(np.sin(x), x[1], order=order, scheme=scheme,
                                      periodic=periodic)
            assert abs(found - exact).max() < bound


def test_gradient_beside_numpy():
    x, y = np.meshgrid(np.linspace(0, 1, 40), np.linspace(0, 2, 50), indexing="ij")
    f = np.exp(x) * np.sin(y)
    spacing = (1 / 39, 2 / 49)
    for ours, theirs, exact in zip(tridia.gradient(f, spacing), np.gradient(f, *spacing),
                                   (f, np.exp(x) * np.cos(y))):
        assert abs(ours - exact).max() < 1e-4 < abs(theirs - exact).max()
    (only,) = tridia.gradient(f, spacing[1], axes=-1)
    np.testing.assert_array_equal(only, tridia.gradient(f, spacing)[1])
    assert np.asarray(tridia.gradient(np.arange(9) ** 2)[0]).dtype == np.float64


def test_ends_and_metric():
    h = 0.1
    x = h * np.arange(20)
    d = tridia.derivative(np.cos(x), h, ends=("symmetric", "closure"))
    assert abs(d[:8] + np.sin(x[:8])).max() < 1e-7
    xi = np.linspace(0, 1, 50)
    y = np.exp(xi)
    d = tridia.derivative(y**2, xi[1], metric=np.exp(xi))
    assert abs(d - 2 * y).max() < 1e-4


def test_schemes_and_closures():
    c6 = tridia.Scheme.named("first_derivative", "C6")
    assert c6.name == "C6" and c6.order == 6 and c6.staggering == "none"
    again = tridia.Scheme("mine", c6.quantity, c6.staggering, c6.interior)
    np.testing.assert_allclose(again.modified_wavenumber(np.array([0.1, 1.0])),
                               c6.modified_wavenumber(np.array([0.1, 1.0])))
    usual = tridia.Closure.named(c6)
    assert usual.name == "3-4-6-4-3" and usual.orders == [3, 4]
    mine = tridia.Closure("mine", c6.quantity, "none", usual.head, usual.tail)
    f = np.random.default_rng(1).random(15)
    np.testing.assert_array_equal(tridia.derivative(f, closure=mine), tridia.derivative(f))
    np.testing.assert_array_equal(tridia.derivative(f, scheme=again, closure=mine),
                                  tridia.derivative(f))
    assert tridia.Operator(c6, (20,), "f8", closure="5-5-6-5-5").warning
    assert len(c6.closures()) == 2
    with pytest.raises(ValueError, match="first polynomial|not|does"):
        tridia.Scheme("wrong", "first_derivative", "none", tridia.Row(weights=(1.0,)))


def test_operator_with_fields_and_workspace(rng):
    c6 = tridia.Scheme.named("first_derivative", "C6")
    op = tridia.Operator(c6, (5, 16), "f8", fields=3)
    f = random_array(rng, (3, 5, 16), "f8")
    np.testing.assert_allclose(op(f), tridia.derivative(f), atol=1e-12)
    workspace = np.empty(op.workspace_bytes + 8, np.uint8)
    out = op(f, workspace=workspace)
    np.testing.assert_array_equal(op(f, out=f), out)
    strided = tridia.Operator(c6, (5, 16), "f8", strides={"f": (1, 5)})
    with pytest.raises(ValueError, match="f: its strides"):
        strided(np.ones((5, 16)))
    np.testing.assert_allclose(strided(np.asfortranarray(f[0])), tridia.derivative(f[0]))


@pytest.mark.parametrize("call, kind, words", [
    (lambda f: tridia.derivative(f, order=5), ValueError, "order: 5 is none of 1, 2, 3, 4"),
    (lambda f: tridia.derivative(f, order=3, scheme="C4"), ValueError, "third_derivative there"),
    (lambda f: tridia.derivative(f, order=4, staggering="to_points"), ValueError, "staggering"),
    (lambda f: tridia.derivative(f, order=3, metric=np.ones(12)), ValueError, "metric"),
    (lambda f: tridia.derivative(f, scheme="C7"), ValueError, "C7"),
    (lambda f: tridia.derivative(f, scheme=6), TypeError, "scheme: must be a name or a Scheme"),
    (lambda f: tridia.derivative(f, axis=2), ValueError, "axis: 2 is out of range"),
    (lambda f: tridia.derivative(f, 0.0), ValueError, "spacing"),
    (lambda f: tridia.derivative(f, "h"), TypeError, "spacing: must be a real number"),
    (lambda f: tridia.derivative(f, ends="open"), ValueError, "ends: 'open' is none of closure"),
    (lambda f: tridia.derivative(f, ends=("closure",)), ValueError, "ends: are two"),
    (lambda f: tridia.derivative(f, metric=np.ones(3)), ValueError, "metric"),
    (lambda f: tridia.derivative(f, closure="9-9-6-9-9"), ValueError, "9"),
    (lambda f: tridia.derivative(f, add=1.0), ValueError, "add: needs out"),
    (lambda f: tridia.derivative(f, out=np.ones(12)), ValueError, "out: its shape"),
    (lambda f: tridia.derivative(f, out=np.ones((12, 3))), ValueError, "out: its shape"),
    (lambda f: tridia.derivative(f, out=f.astype("f4")), TypeError, "out: is of float32"),
    (lambda f: tridia.derivative(f[:, :2]), ValueError, "."),
    (lambda f: tridia.derivative("f"), TypeError, "f: must be an array"),
    (lambda f: tridia.derivative(f.astype("M8[s]")), TypeError, "f: is of datetime64"),
    (lambda f: tridia.interpolate(f, to="here"), ValueError, "to: 'here' is none of midpoints"),
    (lambda f: tridia.filter(f, alpha=2.0), ValueError, "alpha"),
    (lambda f: tridia.gradient(f, (1.0,)), ValueError, "spacing: has 1 entries"),
    (lambda f: tridia.gradient(f, axis=1), TypeError, "axis: is not an argument"),
    (lambda f: tridia.schemes("third"), ValueError, "quantity"),
])
def test_bad_input(call, kind, words):
    with pytest.raises(kind, match=words):
        call(np.ones((3, 12)))
