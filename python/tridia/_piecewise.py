# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Piecewise polynomials: what a spline is once its coefficients are known."""

from typing import Any

import numpy


class PiecewisePolynomial:
    """This is a polynomial in each interval, as ``scipy.interpolate.PPoly`` has it.

    ``c`` holds the coefficients, (k, n - 1, ...), highest power first, in powers of the distance
    from the left end of an interval; ``x`` the n ends; ``extrapolate`` is True, False or
    "periodic"; ``axis`` is where the points of evaluation lie in a result.
    """

    def __init__(self, c: Any, x: Any, extrapolate: "bool | str" = True, axis: int = 0) -> None:
        if extrapolate not in (True, False, "periodic"):
            raise ValueError(f"extrapolate: {extrapolate!r} is none of True, False, \"periodic\"")
        self.c, self.x, self.extrapolate, self.axis = c, x, extrapolate, axis

    def __call__(self, x: Any, nu: int = 0, extrapolate: "bool | str | None" = None) -> Any:
        """This returns values, or those of derivative ``nu``, at points of any shape.

        The shape of the result is that of the data, with the points' in place of the axis. A
        negative ``nu`` integrates.
        """
        from tridia._spline import as_array, namespace_of
        if nu != 0:
            other = self.derivative(nu)
            return other(x, extrapolate=self.extrapolate if extrapolate is None else extrapolate)
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        xp = namespace_of(self.c)
        points = as_array(xp, x, self.x, self.x.dtype)
        at = points.reshape(-1)
        if extrapolate == "periodic":
            at = self.x[0] + (at - self.x[0]) % (self.x[-1] - self.x[0])
        last = self.x.shape[0] - 2
        interval = xp.clip(xp.searchsorted(self.x, at, side="right") - 1, 0, last)
        h = (at - self.x[interval]).reshape((-1,) + (1,) * (len(self.c.shape) - 2))
        result = self.c[0][interval]
        for row in self.c[1:]:
            result = result * h + row[interval]
        if not extrapolate:
            outside = ((at < self.x[0]) | (at > self.x[-1])).reshape(h.shape)
            result = xp.where(outside, result * float("nan"), result)
        result = result.reshape(tuple(points.shape) + tuple(self.c.shape[2:]))
        k = len(points.shape)
        return result if self.axis == 0 else xp.moveaxis(
            result, list(range(k)), list(range(self.axis, self.axis + k)))

    def derivative(self, nu: int = 1) -> "PiecewisePolynomial":
        """This returns the derivative of order ``nu``."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            degree = c.shape[0] - 1
            rows = [c[j] * (degree - j) for j in range(degree)] or [c[0] * 0]
            c = self._stack(rows)
        return PiecewisePolynomial(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> "PiecewisePolynomial":
        """This returns the integral from the first point, ``nu`` times over."""
        from tridia._spline import namespace_of
        if nu <= 0:
            return self.derivative(-nu)
        xp = namespace_of(self.c)
        c = self.c
        h = (self.x[1:] - self.x[:-1]).reshape((-1,) + (1,) * (len(c.shape) - 2))
        for _ in range(nu):
            rows = [c[j] / (c.shape[0] - j) for j in range(c.shape[0])]
            over = rows[0]
            for row in rows[1:]:
                over = over * h + row
            total = xp.cumsum(over * h, 0)  # of each interval and those before it
            c = self._stack([*rows, xp.concatenate([total[:1] * 0, total[:-1]])])
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return PiecewisePolynomial(c, self.x, extrapolate, self.axis)

    def integrate(self, a: float, b: float, extrapolate: "bool | str | None" = None) -> Any:
        """This returns the integral from ``a`` to ``b``; its shape is that of the batch."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        whole = self.antiderivative()
        if extrapolate != "periodic":
            return whole(b, extrapolate=extrapolate) - whole(a, extrapolate=extrapolate)
        first, last = float(self.x[0]), float(self.x[-1])

        def upto(at):
            turns = numpy.floor((at - first) / (last - first))
            return whole(at - turns * (last - first)) + turns * whole(last)

        return upto(b) - upto(a)

    def _stack(self, rows):
        from tridia._spline import namespace_of
        return namespace_of(self.c).stack(rows)
