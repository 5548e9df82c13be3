# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tridiagonal solves and compact operators on JAX arrays.

`tridia.solve` and its companions come here where they are given JAX arrays. All functions work
under `jax.jit`, `jax.vmap` (one call, nested or not; a matrix that is not mapped is not copied),
`jax.grad`, `jax.jvp`, to any order, and on arrays that are sharded over devices: lines that lie
whole on a device stay there.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp

from tridia import _checks, _differentials, _fields, _jax_constant, _jax_operator, _jax_solve
from tridia import _native
from tridia import _jax_backward  # noqa: F401  it has the derivatives of a solve
from tridia._jax_arguments import as_array, as_static, axis_from_0, broadcast, computed_type, refuse
from tridia._jax_ffi import vary_alike
from tridia._near_toeplitz import NearToeplitz
from tridia._operator import Operator, end_pair
from tridia._plan import Plan
from tridia._schemes import Closure

_OPERATIONS = {None: _jax_solve.PLAIN, "T": _jax_solve.TRANSPOSED, "H": _jax_solve.CONJUGATED}
_NOT_WRITTEN = "is not for arrays of JAX, which do not change"
_NO_STREAM = "is not for arrays of JAX, whose work XLA puts in order"


def solve(dl: Any, d: Any, du: Any, b: Any, /, *, axis: int = -1, periodic: bool = False,
          pivoting: bool = True, transpose: str | None = None, out: None = None,
          status: None = None, algorithm: str | None = None, threads: int = 0,
          stream: None = None) -> jax.Array:
    """This solves many tridiagonal systems, along one axis of arrays of JAX.

    Row i of a system reads ``dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1] = b[i]``. Unless periodic,
    ``dl[0]`` and ``du[-1]`` are outside the matrix: they are not read, and their gradients are 0.

    Parameters
    ----------
    dl, d, du : array_like
        The diagonals: below, main, above. They broadcast with ``b`` as NumPy's arrays do, each by
        itself; a one-dimensional one lies along the axis, and is shared by all systems. Both
        off-diagonals may have n - 1 entries along the axis instead, unless periodic.
    b : array_like
        The right-hand sides. Arrays of JAX and NumPy can be mixed.
    axis : int
        The systems lie along this axis.
    periodic : bool
        Whether ``dl[0]`` couples the first row with the last unknown, and ``du[-1]`` the last row
        with the first.
    pivoting : bool
        Whether rows are interchanged. Systems that are diagonally dominant need none.
    transpose : None, "T" or "H"
        Solves with the matrix, its transpose or its conjugate transpose.
    out, status, stream
        Are for arrays of other frameworks, and refused here.
    algorithm : str, optional
        One of ``tridia.info()["algorithms"]``.
    threads : int
        Threads of the CPU; 0 takes all.

    Returns
    -------
    jax.Array
        x. Nothing is raised for a singular system, as nothing waits for the result: x of that
        system, and of no other, is NaN.

    Raises
    ------
    TypeError, ValueError
        Where arguments are wrong or do not fit each other: at the call, or while it is traced.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> import tridia.jax
    >>> d, off = jnp.full(5, 2.0), jnp.full(5, -1.0)
    >>> tridia.jax.solve(off, d, off, jnp.ones(5)).round(2).tolist()
    [2.5, 4.0, 4.5, 4.0, 2.5]
    >>> jax.grad(lambda d: tridia.jax.solve(off, d, off, jnp.ones(5)).sum())(d).round(2).tolist()
    [-6.25, -16.0, -20.25, -16.0, -6.25]
    """
    refuse(_NOT_WRITTEN, out=out, status=status)
    refuse(_NO_STREAM, stream=stream)
    if algorithm is not None:
        _checks.choice("algorithm", algorithm, _native.info()["algorithms"])
    arrays = [as_array(name, a) for name, a in (("dl", dl), ("d", d), ("du", du), ("b", b))]
    return _solve(*arrays, axis=_checks.integer("axis", axis),
                  periodic=_checks.flag("periodic", periodic),
                  pivoting=_checks.flag("pivoting", pivoting), operation=_operation(transpose),
                  algorithm=algorithm or "", threads=_checks.integer("threads", threads, 0, 2**20))


def _operation(transpose):
    if not (transpose is None or isinstance(transpose, str) and transpose in _OPERATIONS):
        raise ValueError(f'transpose: must be None, "T" or "H", not {transpose!r}')
    return _OPERATIONS[transpose]


@functools.partial(jax.jit, static_argnames=(
    "axis", "periodic", "pivoting", "operation", "algorithm", "threads"))
def _solve(dl, d, du, b, *, axis, periodic, pivoting, operation, algorithm, threads):
    dtype = computed_type("b", jnp.result_type(dl, d, du, b))
    if operation and not jnp.issubdtype(dtype, jnp.complexfloating):
        operation = _jax_solve.TRANSPOSED
    operands, axis, short = broadcast([a.astype(dtype) for a in (dl, d, du, b)], axis, periodic)
    return _jax_solve.solve(*vary_alike(*operands), _jax_solve.SolveOptions(
        axis, periodic, pivoting, short, operation, algorithm, threads))


def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any, overwrite_ab: bool = False,
                 overwrite_b: bool = False, check_finite: bool = False) -> jax.Array:
    """This solves banded systems as ``tridia.solve_banded`` does, on arrays of JAX.

    Nothing is overwritten. ``check_finite`` has no effect, and a singular system is NaN, as nothing
    waits for values.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> ab = jnp.array([[0.0, -1.0, -1.0], [2.0, 2.0, 2.0], [-1.0, -1.0, 0.0]])
    >>> tridia.jax.solve_banded((1, 1), ab, jnp.array([1.0, 2.0, 3.0])).round(2).tolist()
    [2.5, 4.0, 3.5]
    """
    del overwrite_ab, overwrite_b, check_finite
    if tuple(l_and_u) != (1, 1):
        raise ValueError(f"l_and_u: is {tuple(l_and_u)}, but only (1, 1) is tridiagonal")
    ab, b = as_array("ab", ab), as_array("b", b)
    if ab.ndim < 2 or ab.shape[-2] != 3:
        raise ValueError(f"ab: its shape is {ab.shape}, but must be (3, n), with a batch before")
    if b.ndim == 0 or ab.shape[-1] != b.shape[-1 if b.ndim == 1 else -2]:
        raise ValueError(f"b: its shape {b.shape} does not fit that of ab, {ab.shape}")
    if b.ndim == 1:
        return solve(ab[..., 2, :-1], ab[..., 1, :], ab[..., 0, 1:], b)
    return solve(ab[..., 2, :-1, None], ab[..., 1, :, None], ab[..., 0, 1:, None], b, axis=-2)


def solve_constant(matrix: NearToeplitz, b: Any, /, *, axis: int = -1, periodic: bool = False,
                   pivoting: bool = True, transpose: str | None = None, out: None = None,
                   status: None = None, algorithm: None = None, threads: int = 0,
                   stream: None = None) -> jax.Array:
    """This solves with a matrix of constants along an axis of an array of JAX.

    ``tridia.NearToeplitz.solve`` comes here. The matrix is factored once, and right-hand sides
    alone are moved. Its numbers are not traced: the gradient is that with respect to ``b``.

    >>> import jax, jax.numpy as jnp
    >>> import tridia
    >>> heat = tridia.NearToeplitz((-1, 3, -1), head=[(0, 2, -1)], tail=[(-1, 2, 0)])
    >>> heat.solve(jnp.ones(4)).round(3).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    refuse(_NOT_WRITTEN, out=out, status=status)
    refuse(_NO_STREAM, stream=stream)
    refuse("is chosen by the library for a matrix of constants", algorithm=algorithm)
    _checks.integer("threads", threads, 0, 2**20)
    b = as_array("b", b)
    rows = matrix.interior, *matrix.head, *matrix.tail
    rows = tuple(complex(v) for row in rows for v in row)
    dtype = jnp.result_type(b, *([1j] if any(v.imag for v in rows) else []))
    dtype, operation = computed_type("b", dtype), _operation(transpose)
    options = _jax_constant.ConstantOptions(
        axis_from_0(axis, b.ndim), _checks.flag("periodic", periodic),
        _checks.flag("pivoting", pivoting), operation, rows, len(matrix.head))
    _check_constant(matrix, b.shape, str(dtype), options, transpose)
    return _solve_constant(b, dtype=dtype, options=options)


@functools.lru_cache(maxsize=256)
def _check_constant(matrix, shape, dtype, options, transpose):
    """Checks what a handler would refuse only when the program runs, and that A is not singular."""
    Plan(shape, dtype, coefficients=matrix, axis=options.axis, periodic=options.periodic,
         pivoting=options.pivoting, transpose=transpose)


@functools.partial(jax.jit, static_argnames=("dtype", "options"))
def _solve_constant(b, *, dtype, options):
    return _jax_constant.solve(b.astype(dtype), options)


def derivative(f: Any, /, spacing: float = 1.0, *, order: int = 1, scheme: Any = "C6",
               axis: int = -1, periodic: bool = False, closure: Any = None,
               ends: Any = ("closure", "closure"), staggering: str = "none", metric: Any = None,
               out: None = None, add: None = None, stream: None = None) -> jax.Array:
    """This returns a derivative of a field along an axis, by a compact scheme of high order.

    The parameters are those of ``tridia.derivative``, but ``out``, ``add`` and ``stream``, which
    are refused. ``spacing`` and ``metric`` are numbers, not traced. The gradient with respect to
    ``f`` is the adjoint operator.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> x = jnp.arange(64) * (2 * jnp.pi / 64)
    >>> df = tridia.jax.derivative(jnp.sin(x), 2 * jnp.pi / 64, periodic=True)
    >>> bool(jnp.max(jnp.abs(df - jnp.cos(x))) < 1e-5)
    True
    """
    found = _fields.find(_fields.derivative_quantity(order), scheme, staggering)
    refuse(_NOT_WRITTEN, out=out, add=add)
    refuse(_NO_STREAM, stream=stream)
    return _apply(found, f, axis, spacing, periodic, closure, ends, metric)


def gradient(f: Any, /, spacing: Any = 1.0, *, axes: Any = None, **as_derivative: Any) -> tuple:
    """This returns the derivatives of a field along several axes, as ``tridia.gradient`` does.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> x, y = jnp.meshgrid(jnp.arange(8.0), jnp.arange(9.0), indexing="ij")
    >>> fx, fy = tridia.jax.gradient(x + 2 * y)
    >>> bool(jnp.allclose(fx, 1, atol=1e-5)), bool(jnp.allclose(fy, 2, atol=1e-5))
    (True, True)
    """
    return _differentials.gradient(as_array("f", f), spacing, axes=axes, **as_derivative)


def divergence(fields: Any, /, spacing: Any = 1.0, *, axes: Any = None,
               **as_derivative: Any) -> jax.Array:
    """This returns the divergence of a vector field, as ``tridia.divergence`` does.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> x, y = jnp.meshgrid(jnp.arange(8.0), jnp.arange(9.0), indexing="ij")
    >>> bool(jnp.allclose(tridia.jax.divergence([3 * x, 2 * y]), 5, atol=1e-5))
    True
    """
    fields = [as_array(f"fields[{k}]", fields[k]) for k in range(len(fields))]
    return _differentials.divergence(fields, spacing, axes=axes, **as_derivative)


def laplacian(f: Any, /, spacing: Any = 1.0, *, axes: Any = None,
              **as_derivative: Any) -> jax.Array:
    """This returns the Laplacian of a field, as ``tridia.laplacian`` does.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> x, y = jnp.meshgrid(jnp.arange(8.0), jnp.arange(9.0), indexing="ij")
    >>> bool(jnp.allclose(tridia.jax.laplacian(x**2 + 3 * y**2), 8, atol=1e-2))
    True
    """
    return _differentials.laplacian(as_array("f", f), spacing, axes=axes, **as_derivative)


def interpolate(f: Any, /, *, to: str = "midpoints", scheme: Any = "C6", axis: int = -1,
                periodic: bool = False, closure: Any = None, ends: Any = ("closure", "closure"),
                out: None = None, add: None = None, stream: None = None) -> jax.Array:
    """This returns the values of a field half a cell off, as ``tridia.interpolate`` does.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> tridia.jax.interpolate(jnp.arange(8.0)).round(3).tolist()
    [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    """
    staggering = "to_" + _checks.choice("to", to, ("midpoints", "points"))
    refuse(_NOT_WRITTEN, out=out, add=add)
    refuse(_NO_STREAM, stream=stream)
    found = _fields.find("interpolation", scheme, staggering)
    return _apply(found, f, axis, 1.0, periodic, closure, ends, None)


def filter(f: Any, /, *, scheme: Any = "F8", alpha: float = 0.45, axis: int = -1,
           periodic: bool = False, closure: Any = None, ends: Any = ("closure", "closure"),
           out: None = None, add: None = None, stream: None = None) -> jax.Array:
    """This returns a field without its shortest waves, as ``tridia.filter`` does.

    >>> import jax.numpy as jnp
    >>> import tridia.jax
    >>> saw = jnp.array([1.0, -1.0] * 8)
    >>> bool(jnp.max(jnp.abs(tridia.jax.filter(saw, periodic=True))) < 1e-5)
    True
    """
    refuse(_NOT_WRITTEN, out=out, add=add)
    refuse(_NO_STREAM, stream=stream)
    alpha = _checks.number("alpha", as_static("alpha", alpha))
    found = _fields.find("filter", scheme, "none", alpha)
    return _apply(found, f, axis, 1.0, periodic, closure, ends, None)


def _apply(scheme, f, axis, spacing, periodic, closure, ends, metric):
    f = as_array("f", f)
    dtype = computed_type("f", jnp.result_type(f))
    axis = axis_from_0(axis, f.ndim)
    spacing = _checks.number("spacing", as_static("spacing", spacing))
    metric = _fields._hashable(as_static("metric", metric))
    options = _options(scheme, f.shape, str(dtype), axis, spacing, closure,
                       _checks.flag("periodic", periodic), end_pair(ends), metric)
    return _operate(f, dtype=dtype, options=options)


@functools.lru_cache(maxsize=256)
def _options(scheme, shape, dtype, axis, spacing, closure, periodic, ends, metric):
    """Returns checked options: what a handler refuses is found only when the program runs."""
    if closure is not None and not isinstance(closure, Closure):
        closure = Closure.named(scheme, closure)
    Operator(scheme, shape, dtype, axis=axis, spacing=spacing, closure=closure, periodic=periodic,
             ends=ends, metric=metric)
    return _jax_operator.OperatorOptions(
        axis, scheme.quantity, scheme.staggering, scheme.name,
        _jax_operator.row_numbers([scheme.interior]), **_closure_options(closure),
        spacing=spacing, periodic=periodic, head=ends[0], tail=ends[1], metric=metric or ())


def _closure_options(closure):
    if closure is None:
        return {}
    counts = float(len(closure.head)), float(len(closure.tail))
    rows = _jax_operator.row_numbers([*closure.head, *closure.tail])
    return {"closure": closure.name, "closure_rows": counts + rows}


@functools.partial(jax.jit, static_argnames=("dtype", "options"))
def _operate(f, *, dtype, options):
    return _jax_operator.apply(f.astype(dtype), options)
