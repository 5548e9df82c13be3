# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tridiagonal solves and compact operators on JAX arrays.

`tridia.solve` and its companions come here where they are given JAX arrays. All functions work
under `jax.jit`, `jax.vmap` (one call, nested or not; a matrix that is not mapped is not copied),
`jax.grad`, `jax.jvp`, to any order, and on arrays that are sharded over devices: lines that lie
whole on a device stay there.
"""

import functools
import operator

import jax
import jax.numpy as jnp

from tridia import _native

from . import _jax_operator, _jax_solve
from ._jax_ffi import check_type, vary_alike

_OPERATIONS = {None: _jax_solve.PLAIN, "T": _jax_solve.TRANSPOSED, "H": _jax_solve.CONJUGATED}


def solve(dl, d, du, b, /, *, axis=-1, periodic=False, pivoting=True, transpose=None,
          algorithm=None, threads=0):
    """The function solves tridiagonal systems along an axis of b, and returns x.

    Row i of a system reads ``dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1] = b[i]``. Unless ``periodic``,
    ``dl[0]`` and ``du[-1]`` are outside the matrix: they are never read, and their gradients are 0;
    both off-diagonals may be one entry shorter instead, as LAPACK has them.

    Args:
      dl, d, du: the diagonals. One-dimensional ones are shared by all systems, others broadcast to
        b's shape as NumPy's arrays do.
      b: the right-hand sides, of any shape.
      axis: the axis of b along which the systems lie.
      periodic: whether ``dl[0]`` couples the first row to the last unknown, and ``du[-1]`` the last
        row to the first one.
      pivoting: whether rows are interchanged; matrices that are diagonally dominant do without.
      transpose: "T" solves with the transposed matrix, "H" with its conjugate.
      algorithm: the name of an algorithm of the library (docs/algorithms.md); None chooses one.
      threads: the number of threads on a CPU; 0 means all.

    Returns:
      x, of b's shape (if a diagonal has more systems than b, of all of them). Nothing is raised for
      a singular system, as nothing waits for the result: x of that system, and of no other, is NaN.

    Raises:
      TypeError, ValueError: an argument is wrong; the sentence names it.

    The derivative is that of the exact solution, so it does not cost more than two solves, whatever
    the length of the systems.

    >>> import jax, jax.numpy as jnp
    >>> import tridia.jax
    >>> d, off = jnp.full(5, 2.0), jnp.full(5, -1.0)
    >>> tridia.jax.solve(off, d, off, jnp.ones(5)).round(2).tolist()
    [2.5, 4.0, 4.5, 4.0, 2.5]
    >>> jax.grad(lambda d: tridia.jax.solve(off, d, off, jnp.ones(5)).sum())(d).round(2).tolist()
    [-6.25, -16.0, -20.25, -16.0, -6.25]
    """
    if transpose not in _OPERATIONS:
        raise ValueError(f'transpose: {transpose!r} is none of None, "T", "H"')
    if algorithm is not None and algorithm not in _native.info()["algorithms"]:
        raise ValueError(f"algorithm: {algorithm!r} is none of "
                         f"{', '.join(_native.info()['algorithms'])}")
    arrays = [_as_array(name, a) for name, a in (("dl", dl), ("d", d), ("du", du), ("b", b))]
    return _solve(*arrays, axis=_as_int("axis", axis), periodic=bool(periodic),
                  pivoting=bool(pivoting), operation=_OPERATIONS[transpose],
                  algorithm=algorithm or "", threads=_as_count("threads", threads))


@functools.partial(jax.jit, static_argnames=(
    "axis", "periodic", "pivoting", "operation", "algorithm", "threads"))
def _solve(dl, d, du, b, *, axis, periodic, pivoting, operation, algorithm, threads):
    dtype = _inexact(jnp.result_type(dl, d, du, b))
    check_type("dl, d, du, b", dtype)
    if not jnp.issubdtype(dtype, jnp.complexfloating) and operation:
        operation = _jax_solve.TRANSPOSED
    rank = max(a.ndim for a in (dl, d, du, b))
    axis = _from_the_end(axis, b.ndim) + rank
    operands = [_with_rank(name, a.astype(dtype), axis, rank)
                for name, a in (("dl", dl), ("d", d), ("du", du), ("b", b))]
    short = _has_short_off_diagonals(operands, axis, periodic)
    _check_batch(operands, axis)
    return _jax_solve.solve(*vary_alike(*operands), _jax_solve.SolveOptions(
        axis, periodic, pivoting, short, operation, algorithm, threads))


def derivative(f, /, spacing=1.0, *, order=1, scheme="C6", axis=-1, periodic=False, closure=None,
               ends=("closure", "closure"), staggering="none", metric=None, threads=0):
    """The function differentiates f along an axis by a compact scheme.

    Args:
      f: the field, of any shape.
      spacing: the distance of neighbouring points.
      order: 1 or 2.
      scheme: "C4", "C6" or "C8" (docs/compact.md).
      axis: the axis along which f is differentiated.
      periodic: whether the first point follows the last one.
      closure: the name of the rows at the ends of a line that is not periodic, as "3-4-6-4-3"; None
        means the scheme's default.
      ends: what lies beyond the first and the last point of a line: "closure", "symmetric",
        "antisymmetric", "symmetric_half" or "antisymmetric_half".
      staggering: "none", or "to_midpoints" or "to_points", which are half a cell away.
      metric: dx/dxi at each result of a line, for a grid that is stretched; numbers, not traced.
      threads: the number of threads on a CPU; 0 means all.

    Returns:
      the derivative, of f's shape but for the axis of a staggered scheme. Its gradient with respect
      to f is the adjoint operator.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> x = jnp.arange(64) * (2 * jnp.pi / 64)
    >>> df = tridia.jax.derivative(jnp.sin(x), 2 * jnp.pi / 64, periodic=True)
    >>> bool(jnp.max(jnp.abs(df - jnp.cos(x))) < 1e-5)
    True
    """
    if order not in (1, 2):
        raise ValueError(f"order: {order!r} is neither 1 nor 2")
    quantity = "first_derivative" if order == 1 else "second_derivative"
    return _apply(f, axis, quantity=quantity, staggering=staggering, scheme=scheme,
                  closure=closure, spacing=spacing, periodic=periodic, ends=ends, metric=metric,
                  threads=threads)


def gradient(f, /, spacing=1.0, *, axes=None, **as_derivative):
    """The function returns a tuple of the derivatives of f along several axes.

    Args:
      f: the field.
      spacing: the distance of neighbouring points, or one for each of the axes.
      axes: the axes; None means all.
      as_derivative: the other arguments of `derivative`.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> x, y = jnp.meshgrid(jnp.arange(8.0), jnp.arange(9.0), indexing="ij")
    >>> fx, fy = tridia.jax.gradient(x + 2 * y)
    >>> bool(jnp.allclose(fx, 1, atol=1e-5)), bool(jnp.allclose(fy, 2, atol=1e-5))
    (True, True)
    """
    f = _as_array("f", f)
    axes = range(f.ndim) if axes is None else [_as_int("axes", a) for a in axes]
    spacings = list(spacing) if hasattr(spacing, "__len__") else [spacing] * len(axes)
    if len(spacings) != len(axes):
        raise ValueError(f"spacing: has {len(spacings)} entries for {len(axes)} axes")
    return tuple(derivative(f, h, axis=a, **as_derivative) for a, h in zip(axes, spacings))


def interpolate(f, /, *, to="midpoints", scheme="C6", axis=-1, periodic=False, closure=None,
                ends=("closure", "closure"), threads=0):
    """The function interpolates f along an axis, to midpoints or to points half a cell away.

    Args:
      to: "midpoints", or "points" for an f that is given at midpoints.
      f, scheme, axis, periodic, closure, ends, threads: see `derivative`.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> f = tridia.jax.interpolate(jnp.arange(8.0))
    >>> f.shape, bool(jnp.allclose(f, jnp.arange(7) + 0.5, atol=1e-5))
    ((7,), True)
    """
    if to not in ("midpoints", "points"):
        raise ValueError(f'to: {to!r} is neither "midpoints" nor "points"')
    return _apply(f, axis, quantity="interpolation", staggering="to_" + to, scheme=scheme,
                  closure=closure, periodic=periodic, ends=ends, threads=threads)


def filter(f, /, *, scheme="F8", alpha=0.45, axis=-1, periodic=False, closure=None,
           ends=("closure", "closure"), threads=0):
    """The function damps the shortest waves of f along an axis.

    Args:
      scheme: "F2", "F4", … or "F10".
      alpha: from -1/2 to 1/2; the larger, the fewer waves are damped.
      f, axis, periodic, closure, ends, threads: see `derivative`.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> f = jnp.ones(16) + jnp.array([0.5, -0.5] * 8)
    >>> bool(jnp.allclose(tridia.jax.filter(f, periodic=True), 1, atol=1e-5))
    True
    """
    return _apply(f, axis, quantity="filter", staggering="none", scheme=scheme, alpha=float(alpha),
                  closure=closure, periodic=periodic, ends=ends, threads=threads)


def _apply(f, axis, *, closure, spacing=1.0, periodic, ends, metric=None, threads, **scheme):
    f = _as_array("f", f)
    metric = () if metric is None else tuple(map(float, _as_static("metric", metric)))
    head, tail = (ends, ends) if isinstance(ends, str) else ends
    axis = _from_the_end(_as_int("axis", axis), f.ndim) + f.ndim
    return _operate(f, options=_jax_operator.OperatorOptions(
        axis, closure=closure or "", spacing=float(_as_static("spacing", spacing)),
        periodic=bool(periodic), head=head, tail=tail, metric=metric,
        threads=_as_count("threads", threads), **scheme))


@functools.partial(jax.jit, static_argnames="options")
def _operate(f, *, options):
    dtype = _inexact(f.dtype)
    check_type("f", dtype)
    f = f.astype(dtype)
    _jax_operator.check(f, options)
    return _jax_operator.apply(f, options)


def _inexact(dtype):
    return dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.promote_types(dtype, jnp.float_)


def _as_array(name, a):
    if isinstance(a, (jax.Array, jax.core.Tracer)):
        return a
    try:
        return jnp.asarray(a)
    except (TypeError, ValueError) as e:
        raise TypeError(f"{name}: {type(a).__name__} is not an array ({e})") from None


def _as_int(name, value):
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not an integer") from None


def _as_count(name, value):
    if _as_int(name, value) < 0:
        raise ValueError(f"{name}: {value} is below 0")
    return int(value)


def _as_static(name, value):
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"{name}: is traced, but has to be known when the operator is made")
    return value


def _from_the_end(axis, rank):
    """Returns an axis of an array of this rank, counted from the last one."""
    if not -rank <= axis < rank:
        raise ValueError(f"axis: {axis} is not an axis of an array with {rank} dimensions")
    return axis if axis < 0 else axis - rank


def _with_rank(name, a, axis, rank):
    """Returns an array with axes of extent 1 where it is broadcast; one dimension is the rows."""
    if a.ndim == 1:
        return a.reshape((1,) * axis + (-1,) + (1,) * (rank - 1 - axis))
    return a.reshape((1,) * (rank - a.ndim) + a.shape)


def _has_short_off_diagonals(operands, axis, periodic):
    """Checks the lengths of diagonals, and returns whether dl and du are one entry shorter."""
    dl, d, du, b = (a.shape[axis] for a in operands)
    if d not in (b, 1):
        raise ValueError(f"d: has {d} entries along the systems, but b has {b}")
    short = b > 1 and dl == du == b - 1
    for name, length in (("dl", dl), ("du", du)):
        if length not in (b, 1) and not short:
            raise ValueError(f"{name}: has {length} entries along the systems, but b has {b} "
                             "(both off-diagonals may have one entry less)")
    if short and periodic:
        if b == 2:  # one entry that is broadcast
            return False
        raise ValueError(f"dl, du: have {dl} entries, but those of periodic systems have {b}")
    return short


def _check_batch(operands, axis):
    shapes = [a.shape[:axis] + (1,) + a.shape[axis + 1:] for a in operands]
    for name, shape in zip(("dl", "d", "du"), shapes):
        try:
            jnp.broadcast_shapes(shape, shapes[3])
        except ValueError:
            raise ValueError(f"{name}: its shape {shape} does not broadcast to b's, {shapes[3]} "
                             "(1 along the systems)") from None
