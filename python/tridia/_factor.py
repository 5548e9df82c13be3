# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""factor: the plan and the factors of given matrices in one call."""

from typing import Any

from tridia import _checks, _native
from tridia._frameworks import common_type, framework_of
from tridia._plan import Factors, Plan


def factor(dl: Any, d: Any, du: Any, /, *, shape: Any = None, axis: int = -1,
           periodic: bool = False, pivoting: bool = True, transpose: str | None = None,
           status: Any = None, algorithm: str | None = None, threads: int = 0,
           stream: Any = None) -> Factors:
    """This factors matrices, to solve with them again and again.

    Parameters
    ----------
    dl, d, du, axis, periodic, pivoting, transpose, status, algorithm, threads, stream
        As for ``solve``.
    shape : tuple of int or array, optional
        The shape of the right-hand sides, or an array like them, whose strides count as well; the
        coefficients are broadcast to it. By default it is what they broadcast to.

    Returns
    -------
    Factors
        They hold a copy of what they need of the matrices.

    Examples
    --------
    >>> factors = tridia.factor(-np.ones(5), np.full(5, 3.0), -np.ones(5), shape=(2, 5))
    >>> factors.solve(np.ones((2, 5)))[0, :2].round(4)
    array([0.6111, 0.8333])
    """
    framework = framework_of(d=d, dl=dl, du=du, status=status)
    dtype = common_type(framework, d=d, dl=dl, du=du)
    with framework.current(stream):  # what is converted is in order with the factorization
        arrays = {name: framework.cast(framework.asarray(name, x), dtype)
                  for name, x in (("dl", dl), ("d", d), ("du", du))}
        given = {name: framework.describe(name, x) for name, x in arrays.items()}
    like = shape if hasattr(shape, "shape") else None
    extents = shape if like is None else tuple(like.shape)
    found = _native.broadcast(**given, shape=None if extents is None
                              else _checks.integers("shape", extents, 0),
                              axis=axis, periodic=periodic)
    strides = {name: found[name] for name in arrays}
    if like is not None:
        strides["b"] = framework.strides(like)
    plan = Plan(found["shape"], dtype, axis=found["axis"],
                coefficients="shared" if found["shared"] else "per_system",
                short_off_diagonals=found["short"], strides=strides, periodic=periodic,
                pivoting=pivoting, transpose=transpose, algorithm=algorithm, threads=threads,
                device=f"cuda:{framework.device}" if framework.cuda else "cpu")
    return Factors._of(plan, found["views"].values(), status, None, stream, framework)
