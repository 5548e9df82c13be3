# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Cubic splines through arrays of any framework."""

import sys
from typing import Any

import numpy

from tridia._piecewise import PiecewisePolynomial
from tridia._solve import solve

_SHORT = {"clamped": (1, 0.0), "natural": (2, 0.0), "not-a-knot": "not-a-knot",
          "periodic": "periodic"}


def namespace_of(*arrays: Any) -> Any:
    """This returns the module whose functions these arrays go with."""
    for x in arrays:
        for base in type(x).__mro__[:-1]:
            package = base.__module__.partition(".")[0]
            if package in ("torch", "cupy"):
                return sys.modules[package]
            if package in ("jax", "jaxlib"):
                return sys.modules["jax"].numpy
    return numpy


def as_array(xp: Any, x: Any, like: Any, dtype: Any = None) -> Any:
    """This returns an array of this module, on the device of ``like``; tensors keep gradients."""
    if xp.__name__ != "torch":
        return xp.asarray(x) if dtype is None else xp.asarray(x, dtype=dtype)
    if isinstance(x, xp.Tensor):
        return x if dtype is None else x.to(dtype)
    return xp.as_tensor(x, dtype=dtype, device=like.device)


def _one_condition(name, value):
    if isinstance(value, str):
        if value not in _SHORT or (name and value == "periodic"):
            raise ValueError(f"bc_type: {value!r} is none of not-a-knot, periodic (for both ends), "
                             "clamped, natural")
        return _SHORT[value]
    try:
        order, number = value
    except (TypeError, ValueError):
        raise ValueError(f"bc_type: {value!r} is neither a name nor a pair of the order of a "
                         "derivative and its value") from None
    if order not in (1, 2):
        raise ValueError(f"bc_type: the order of a derivative is 1 or 2, not {order!r}")
    return order, number


def _conditions(bc_type):
    if isinstance(bc_type, str):
        both = _one_condition("", bc_type)
        return both, both
    if len(bc_type) != 2:
        raise ValueError(f"bc_type: has {len(bc_type)} entries, but a line has two ends")
    return _one_condition("first", bc_type[0]), _one_condition("last", bc_type[1])


class CubicSpline(PiecewisePolynomial):
    """This is a cubic spline through data, as ``scipy.interpolate.CubicSpline`` has it.

    Parameters
    ----------
    x : (n,) array_like
        The points, real and increasing.
    y : array_like
        The values, n of them along ``axis``; the other axes are a batch of splines. The arrays are
        of NumPy, CuPy, PyTorch or JAX, and coefficients and results are so too. NumPy's become
        float64 or complex128.
    axis : int
    bc_type : str or pair
        "not-a-knot" (the default), "periodic", "clamped", "natural", or a pair for the first and
        the last point, each one of those names or ``(order, value)``: the first or second
        derivative there. A value has the shape of ``y`` without the axis, or is a number.
    extrapolate : bool or "periodic", optional
        What lies beyond the points: the polynomials at the ends (the default), NaN (False), or the
        same again (the default where ``bc_type`` is "periodic").

    Attributes
    ----------
    x : (n,) array
    c : (4, n - 1, ...) array
        The coefficients in each interval, highest power first; the batch follows.
    axis : int

    Raises
    ------
    ValueError, TypeError
        Where shapes do not fit each other; on a CPU also where ``x`` does not increase, or values
        are not finite.

    Examples
    --------
    >>> x = np.linspace(0, np.pi, 20)
    >>> spline = tridia.CubicSpline(x, np.sin(x))
    >>> round(float(spline(1.0)), 4), round(float(spline(1.0, 1)), 4)
    (0.8415, 0.5403)
    >>> round(float(spline.integrate(0, np.pi)), 4)
    2.0
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot",
                 extrapolate: "bool | str | None" = None) -> None:
        xp = namespace_of(x, y)
        x, y = _points(xp, x, y)
        rank = len(y.shape)
        if not -rank <= axis < rank:
            raise ValueError(f"axis: {axis} is out of range for {rank} axes of y")
        axis %= rank
        if x.shape[0] != y.shape[axis]:
            raise ValueError(f"y: its shape {tuple(y.shape)} has {y.shape[axis]} entries along "
                             f"axis {axis}, but x has {x.shape[0]}")
        start, end = _conditions(bc_type)
        periodic = start == "periodic" and end == "periodic"
        y = xp.moveaxis(y, axis, 0)
        if xp is numpy:
            _check_values(x, y, periodic)
        if extrapolate is None:
            extrapolate = "periodic" if periodic else True
        dx = x[1:] - x[:-1]
        wide = dx.reshape((-1,) + (1,) * (rank - 1))
        slope = (y[1:] - y[:-1]) / wide
        if periodic:
            s = _periodic_slopes(xp, dx, wide, slope)
        else:
            s = _slopes(xp, x, y, dx, wide, slope, start, end)
        t = (s[:-1] + s[1:] - 2 * slope) / wide
        c = xp.stack([t / wide, (slope - s[:-1]) / wide - t, s[:-1], y[:-1]])
        super().__init__(c, x, extrapolate, axis)


def _points(xp, x, y):
    """Converts what is given to arrays of one framework, of real x and of y in working precision."""
    if xp is numpy:
        x, y = numpy.asarray(x), numpy.asarray(y)
        if x.dtype.kind not in "biuf":
            raise TypeError(f"x: is of {x.dtype}, but must be real numbers")
        if y.dtype.kind not in "biufc":
            raise TypeError(f"y: is of {y.dtype}, but must be real or complex numbers")
        x, y = x.astype(float), y.astype(complex if y.dtype.kind == "c" else float)
    else:
        like = y if namespace_of(y) is xp else x
        y = as_array(xp, y, like)
        if xp.__name__ == "torch":
            floating, is_complex = y.is_floating_point() or y.is_complex(), y.is_complex()
        else:
            floating, is_complex = y.dtype.kind in "fc", y.dtype.kind == "c"
        if not floating:
            y = y * 1.0
        x = as_array(xp, x, like, (y.real if is_complex else y).dtype)
    if len(x.shape) != 1 or x.shape[0] < 2:
        raise ValueError(f"x: its shape is {tuple(x.shape)}, but it has one axis of 2 points or "
                         "more")
    if len(y.shape) == 0:
        raise ValueError("y: has no axis")
    return x, y


def _check_values(x, y, periodic):
    if not numpy.isfinite(x).all() or not numpy.isfinite(y).all():
        raise ValueError("x, y: hold values that are not finite")
    if (numpy.diff(x) <= 0).any():
        at = int(numpy.argmax(numpy.diff(x) <= 0))
        raise ValueError(f"x: must increase, but x[{at}] = {x[at]} and x[{at + 1}] = {x[at + 1]}")
    if periodic and not numpy.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
        raise ValueError("y: its first and last values along the axis must be the same where "
                         "bc_type is \"periodic\"")


def _periodic_slopes(xp, dx, wide, slope):
    before, slope_before = xp.roll(dx, 1), xp.roll(slope, 1, 0)
    b = 3 * (wide * slope_before + xp.roll(wide, 1, 0) * slope)
    s = _solve(dx, 2 * (before + dx), before, b, periodic=True)
    return xp.concatenate([s, s[:1]])


def _solve(dl, d, du, b, periodic=False):
    flat = b.reshape((b.shape[0], -1))
    matrix = [a.astype(b.dtype) if hasattr(a, "astype") else a.to(b.dtype) for a in (dl, d, du)]
    return solve(*matrix, flat, axis=0, periodic=periodic).reshape(b.shape)


def _slopes(xp, x, y, dx, wide, slope, start, end):
    """Returns the first derivatives at all points, from the spline's tridiagonal system."""
    n = x.shape[0]
    zero, one = dx[:1] * 0, dx[:1] * 0 + 1
    if n == 2:
        start = (1, slope[0]) if start == "not-a-knot" else start
        end = (1, slope[0]) if end == "not-a-knot" else end
    if n == 3 and start == "not-a-knot" and end == "not-a-knot":
        # A parabola through three points.
        first, last = (one, one, 2 * slope[:1]), (one, one, 2 * slope[1:])
    else:
        first = _first_row(xp, x, y, dx, wide, slope, start, zero, one)
        last = _last_row(xp, x, y, dx, wide, slope, end, zero, one)
    d = xp.concatenate([first[0], 2 * (dx[:-1] + dx[1:]), last[0]])
    du = xp.concatenate([first[1], dx[:-1], zero])
    dl = xp.concatenate([zero, dx[1:], last[1]])
    inside = 3 * (wide[1:] * slope[:-1] + wide[:-1] * slope[1:])
    return _solve(dl, d, du, xp.concatenate([first[2], inside, last[2]]))


def _value(xp, value, y):
    """Returns the value of a condition with the shape of one row of y."""
    row = y[:1]
    if isinstance(value, (int, float, complex)):
        return row * 0 + value
    value = as_array(xp, value, y)
    if tuple(value.shape) not in ((), tuple(row.shape[1:])):
        raise ValueError(f"bc_type: a value's shape is {tuple(value.shape)}, but that of y without "
                         f"the axis is {tuple(row.shape[1:])}")
    return row * 0 + value


def _first_row(xp, x, y, dx, wide, slope, condition, zero, one):
    if condition == "not-a-knot":
        d = x[2:3] - x[:1]
        w = d.reshape(wide[:1].shape)
        b = ((wide[:1] + 2 * w) * wide[1:2] * slope[:1] + wide[:1] ** 2 * slope[1:2]) / w
        return dx[1:2], d, b
    order, value = condition
    value = _value(xp, value, y)
    if order == 1:
        return one, zero, value
    return 2 * dx[:1], dx[:1], -0.5 * value * wide[:1] ** 2 + 3 * (y[1:2] - y[:1])


def _last_row(xp, x, y, dx, wide, slope, condition, zero, one):
    if condition == "not-a-knot":
        d = x[-1:] - x[-3:-2]
        w = d.reshape(wide[:1].shape)
        b = (wide[-1:] ** 2 * slope[-2:-1] + (2 * w + wide[-1:]) * wide[-2:-1] * slope[-1:]) / w
        return dx[-2:-1], d, b
    order, value = condition
    value = _value(xp, value, y)
    if order == 1:
        return one, zero, value
    return 2 * dx[-1:], dx[-1:], 0.5 * value * wide[-1:] ** 2 + 3 * (y[-1:] - y[-2:-1])
