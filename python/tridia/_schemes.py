# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Compact schemes and their closures, as data."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from tridia import _checks, _native


class Row(NamedTuple):
    """This is one row of a compact scheme, in units of the spacing h.

    With f the values, g the results and q the order of the derivative, it reads
    ``sub g[i-1] + diag g[i] + sup g[i+1] = h**-q (weights[0] f[i+first] + weights[1] f[i+first+1]
    + …)``.
    """

    sub: float = 0.0
    diag: float = 1.0
    sup: float = 0.0
    first: int = 0
    weights: Sequence[float] = ()


def _plain(name: str, row: Any) -> tuple:
    row = Row(*row)
    return (_checks.number(f"{name}.sub", row.sub), _checks.number(f"{name}.diag", row.diag),
            _checks.number(f"{name}.sup", row.sup),
            _checks.integer(f"{name}.first", row.first, -2**31, 2**31 - 1),
            [_checks.number(f"{name}.weights", w) for w in row.weights])


def _row(plain: tuple) -> Row:
    return Row(*plain[:4], tuple(plain[4]))


class Scheme:
    """This is a compact scheme away from the ends of lines; it is consistent and does not change.

    Parameters
    ----------
    name : str
        For messages.
    quantity : str
        "first_derivative", "second_derivative", "third_derivative", "fourth_derivative",
        "interpolation" or "filter".
    staggering : "none", "to_midpoints" or "to_points"
        Whether results lie at the points, or half a cell off.
    interior : Row

    Raises
    ------
    ValueError
        Where the row is not consistent; the sentence names the first polynomial that it fails for.

    Examples
    --------
    >>> tridia.Scheme.named("first_derivative", "C6").order
    6
    >>> tridia.Scheme("central", "first_derivative", "none", tridia.Row(first=-1,
    ...               weights=(-0.5, 0, 0.5))).order
    2
    """

    __slots__ = ("_native",)

    def __init__(self, name: str, quantity: str, staggering: str, interior: Row) -> None:
        self._native = _native.Scheme(str(name), quantity, staggering, _plain("interior", interior))

    @classmethod
    def _of(cls, native):
        self = object.__new__(cls)
        self._native = native
        return self

    @classmethod
    def named(cls, quantity: str, name: str, staggering: str = "none",
              alpha: float = 0.45) -> "Scheme":
        """This returns a scheme that comes with the library, one of ``schemes(quantity)``.

        ``alpha`` is for filters: the larger it is, up to 0.5, the fewer waves are damped.
        """
        if not isinstance(name, str):
            raise TypeError(f"scheme: must be a name or a Scheme, not {type(name).__name__}")
        return cls._of(_native.find_scheme(quantity, name, staggering,
                                           _checks.number("alpha", alpha)))

    @property
    def name(self) -> str:
        """The name, as "C6"."""
        return self._native.name

    @property
    def quantity(self) -> str:
        """What the scheme computes."""
        return self._native.quantity

    @property
    def staggering(self) -> str:
        """Where the results lie."""
        return self._native.staggering

    @property
    def interior(self) -> Row:
        """The row."""
        return _row(self._native.interior)

    @property
    def order(self) -> int:
        """The order of accuracy of the interior row."""
        return self._native.order

    def modified_wavenumber(self, w: Any) -> Any:
        """This returns the wavenumber that the scheme has in place of ``w`` (radians per cell).

        It is w' for a first derivative, w'' for a second one, likewise for a third and a fourth
        one, and the transfer function otherwise; an array of real numbers where the scheme is
        symmetric.
        """
        result = numpy.vectorize(self._native.modified_wavenumber, otypes=[complex])(w)
        is_real = (abs(result.imag) <= 1e-13 * (1 + abs(result))).all()
        return result.real[()] if is_real else result[()]

    def closures(self) -> list[list[int]]:
        """This returns the orders that a closure's name can have for rows 0, 1, …."""
        return _native.closure_choices(self._native)

    def __repr__(self) -> str:
        return f"<tridia.Scheme {self.name}: {self.quantity}, order {self.order}>"


class Closure:
    """This holds the rows at the ends of lines, where the interior's stencil does not fit.

    Parameters
    ----------
    name, quantity, staggering
        As for a Scheme.
    head : sequence of Row
        Rows 0, 1, ….
    tail : sequence of Row, optional
        The last rows, the very last one at its end; by default mirror images of the head.
    """

    __slots__ = ("_native",)

    def __init__(self, name: str, quantity: str, staggering: str, head: Sequence[Row],
                 tail: Sequence[Row] | None = None) -> None:
        self._native = _native.Closure(
            str(name), quantity, staggering, [_plain("head", r) for r in head],
            None if tail is None else [_plain("tail", r) for r in tail])

    @classmethod
    def _of(cls, native):
        self = object.__new__(cls)
        self._native = native
        return self

    @classmethod
    def named(cls, scheme: Scheme, name: str | None = None) -> "Closure":
        """This returns a closure of a scheme by its orders, as "3-4-6-4-3"; its default without."""
        if name is None:
            return cls._of(_native.default_closure(scheme._native))
        if not isinstance(name, str):
            raise TypeError(f"closure: must be a name or a Closure, not {type(name).__name__}")
        return cls._of(_native.find_closure(scheme._native, name))

    @property
    def name(self) -> str:
        """The name, as "3-4-6-4-3"."""
        return self._native.name

    @property
    def head(self) -> tuple[Row, ...]:
        """The first rows."""
        return tuple(_row(r) for r in self._native.head)

    @property
    def tail(self) -> tuple[Row, ...]:
        """The last rows."""
        return tuple(_row(r) for r in self._native.tail)

    @property
    def orders(self) -> list[int]:
        """The orders of accuracy of the head's rows."""
        return self._native.orders

    def __repr__(self) -> str:
        return f"<tridia.Closure {self.name}>"


def schemes(quantity: str, staggering: str = "none") -> list[str]:
    """This returns the names of the schemes that come with the library.

    >>> tridia.schemes("first_derivative")
    ['C4', 'C6', 'C8']
    """
    return _native.scheme_names(quantity, staggering)
