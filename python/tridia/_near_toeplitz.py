# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Matrices of constants."""

import functools
from collections.abc import Iterable
from typing import Any



class NearToeplitz:
    """This is a tridiagonal matrix of any size, all of whose rows are equal but a few at the ends.

    Parameters
    ----------
    interior : (dl, d, du)
        The row that is repeated.
    head, tail : sequences of (dl, d, du)
        The first rows, and the last ones, whose very last is the matrix's last row. The first
        row's dl and the last row's du are ignored unless the matrix is periodic.

    Examples
    --------
    >>> heat = tridia.NearToeplitz((-1, 3, -1), head=[(0, 2, -1)], tail=[(-1, 2, 0)])
    >>> heat.solve(np.ones((2, 5)))
    array([[1., 1., 1., 1., 1.],
           [1., 1., 1., 1., 1.]])
    """

    __slots__ = ("interior", "head", "tail", "_plan")

    def __init__(self, interior: Iterable[complex], head: Iterable[Iterable[complex]] = (),
                 tail: Iterable[Iterable[complex]] = ()) -> None:
        self.interior = _row("interior", interior)
        self.head = tuple(_row("head", r) for r in head)
        self.tail = tuple(_row("tail", r) for r in tail)
        self._plan = functools.lru_cache(maxsize=16)(self._make_plan)

    def __repr__(self) -> str:
        return (f"tridia.NearToeplitz({self.interior!r}, head={self.head!r}, "
                f"tail={self.tail!r})")

    def _rows(self, dtype):
        rows = (self.interior, *self.head, *self.tail)
        if dtype.kind != "c" and any(isinstance(v, complex) and v.imag != 0 for r in rows for v in r):
            raise TypeError(f"coefficients: are complex, but dtype is {dtype}")
        return (self.interior, list(self.head), list(self.tail))

    def _make_plan(self, shape, dtype, strides, options):
        from tridia._plan import Plan
        return Plan(shape, dtype, coefficients=self, strides=dict(strides), **dict(options))

    def _dtype(self, framework, b):
        from tridia._frameworks import common_type
        rows = (self.interior, *self.head, *self.tail)
        is_complex = any(v.imag != 0 for r in rows for v in r)
        return common_type(framework, b=b, **({"interior": 1j} if is_complex else {}))

    def solve(self, b: Any, /, *, axis: int = -1, periodic: bool = False, pivoting: bool = True,
              transpose: str | None = None, out: Any = None, status: Any = None,
              algorithm: str | None = None, threads: int = 0, stream: Any = None) -> Any:
        """This solves with this matrix along an axis of ``b``; moves right-hand sides alone.

        The arguments are those of ``tridia.solve``. The matrix is factored when a shape is met for
        the first time; the last 16 are kept. Raises SingularError where it has no inverse.
        """
        from tridia._frameworks import framework_of, is_jax
        if is_jax(b):
            from tridia import jax
            return jax.solve_constant(self, b, axis=axis, periodic=periodic, pivoting=pivoting,
                                      transpose=transpose, out=out, status=status,
                                      algorithm=algorithm, threads=threads, stream=stream)
        framework = framework_of(b=b, out=out, status=status)
        with framework.current(stream):  # what is converted or made is in order with the solve
            b = framework.asarray("b", b)
            b = framework.cast(b, self._dtype(framework, b))
            if out is None:
                out = framework.empty(tuple(b.shape), framework.dtype(b).name)
        strides = [("b", framework.strides(b))]
        strides.append(("out", tuple(framework.strides(out))))
        if tuple(out.shape) != tuple(b.shape):
            raise ValueError(f"out: its shape is {tuple(out.shape)}, but that of b is "
                             f"{tuple(b.shape)}")
        device = f"cuda:{framework.device}" if framework.cuda else "cpu"
        options = (("axis", axis), ("periodic", periodic), ("pivoting", pivoting),
                   ("transpose", transpose), ("algorithm", algorithm), ("threads", threads),
                   ("device", device))
        plan = self._plan(tuple(b.shape), framework.dtype(b).name, tuple(strides), options)
        return plan.execute_constant(b, out=out, status=status, stream=stream)


def _row(name, values):
    row = tuple(values)
    if len(row) != 3:
        raise ValueError(f"{name}: a row is (dl, d, du), but one has {len(row)} entries")
    try:
        row = tuple(complex(v) for v in row)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: a row is three numbers, not {row!r}") from None
    return tuple(v if v.imag != 0 else v.real for v in row)


