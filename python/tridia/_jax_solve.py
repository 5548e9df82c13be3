# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The JAX primitive that solves tridiagonal systems, with its derivatives, its rule for `vmap`, and
how it is split over devices.

Operands have one rank, and extent 1 where they are broadcast; the systems lie along one axis of
them. The primitive is differentiated by itself: with A x = b, A dx = db - dA x, where dA x is made
of ordinary JAX operations. So derivatives of all orders are solves with A and its transpose.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import ad, batching

from tridia._jax_ffi import insert_axis, SplitPrimitive, shape_and_type

PLAIN, TRANSPOSED, CONJUGATED = 0, 1, 2  # the values of C++'s tridia::operation


class SolveOptions(NamedTuple):
    """Holds the options of a solve."""

    axis: int  # from 0
    periodic: bool
    pivoting: bool
    short_off_diagonals: bool  # they have one entry less than the diagonal
    operation: int
    algorithm: str  # empty: automatic
    threads: int


def _out_shape(shapes, options):
    axis = options.axis
    batch = np.broadcast_shapes(*(s[:axis] + (1,) + s[axis + 1:] for s in shapes))
    return batch[:axis] + (shapes[3][axis],) + batch[axis + 1:]


def _call(dl, d, du, b, options):
    shape = _out_shape([a.shape for a in (dl, d, du, b)], options)
    call = jax.ffi.ffi_call("tridia_solve", shape_and_type(shape, b.dtype))
    return call(dl, d, du, b, axis=np.int64(options.axis), periodic=options.periodic,
                pivoting=options.pivoting, short_off_diagonals=options.short_off_diagonals,
                operation=np.int64(options.operation), algorithm=options.algorithm,
                threads=np.int64(options.threads))


def _factors(shapes, out_shape, options):
    """Names dimensions, for the split over devices: along the systems all are whole."""

    def names(k, shape):
        return [f"whole{k}" if axis == options.axis else
                f"batch{axis}" if extent == out_shape[axis] else f"one{k}x{axis}"
                for axis, extent in enumerate(shape)]

    return [names(k, s) for k, s in enumerate(shapes)], names(len(shapes), out_shape)


_primitive = SplitPrimitive("tridia_solve", _out_shape, _call, _factors)


def solve(dl, d, du, b, options):
    """Solves with operands of one rank."""
    return _primitive.bind(dl, d, du, b, options=options)


def multiply(dl, d, du, x, options):
    """Returns op(A) x, without the diagonals that are None.

    Entries outside the matrix (dl[0] and du[-1], unless it is periodic) are not read, so that their
    derivatives are exactly 0.
    """
    transposed = options.operation != PLAIN
    if options.operation == CONJUGATED:
        dl, d, du = (a if a is None else a.conj() for a in (dl, d, du))
    terms = [] if d is None else [d * x]
    # A(i, i-1) is dl[i], and A(i-1, i) is du[i-1]: each entry takes x from its column to its row.
    if dl is not None:
        terms.append(_off_diagonal(dl, x, options, 1, not transposed))
    if du is not None:
        terms.append(_off_diagonal(du, x, options, -1, not transposed))
    return sum(terms[1:], terms[0])


def _off_diagonal(entries, x, options, step, by_row):
    """Returns the product of one off-diagonal with x: it couples row i with row i - step.

    `by_row` says that an entry's index is that of its result; otherwise it is that of its factor,
    as for a transposed matrix.
    """
    if options.periodic:
        return (entries * jnp.roll(x, step, options.axis) if by_row else
                jnp.roll(entries * x, -step, options.axis))
    n, axis = x.shape[options.axis], options.axis
    first, last = slice(0, max(n - 1, 0)), slice(1, n)
    inner = entries
    if not options.short_off_diagonals:
        inner = _part(entries, axis, last if step == 1 else first)
    # Rows 1 to n - 1 take from the rows before them with dl, or with du of a transposed matrix.
    downward = (step == 1) == by_row
    product = inner * _part(x, axis, first if downward else last)
    widths = [(0, 0)] * product.ndim
    widths[axis] = (min(n, 1), 0) if downward else (0, min(n, 1))
    return jnp.pad(product, widths)


def _part(a, axis, rows):
    return a[(slice(None),) * axis + (rows,)]


def _jvp(primals, tangents, *, options, call):
    del call
    *matrix, b = primals
    *matrix_dots, b_dot = tangents
    x = solve(*matrix, b, options)
    rhs = None if isinstance(b_dot, ad.Zero) else b_dot
    dots = [None if isinstance(t, ad.Zero) else t for t in matrix_dots]
    if any(t is not None for t in dots):
        product = multiply(*dots, x, options)
        rhs = -product if rhs is None else rhs - product
    if rhs is None:
        return x, ad.Zero.from_primal_value(x)
    return x, solve(*matrix, rhs, options)


def _transpose(cotangent, dl, d, du, b, *, options, call):
    del call
    if any(ad.is_undefined_primal(a) for a in (dl, d, du)):
        raise NotImplementedError("tridia: a solve is linear in its right-hand side alone")
    if isinstance(cotangent, ad.Zero):
        return None, None, None, ad.Zero(b.aval)
    g = solve_adjoint(dl, d, du, cotangent, options)
    return None, None, None, _sum_to(g, b.aval.shape)


def solve_adjoint(dl, d, du, g, options):
    """Solves with the transpose of op(A), which is op(A^T) and, for A^H, conj(A)."""
    if options.operation == CONJUGATED:
        return solve(dl, d, du, g.conj(), options._replace(operation=PLAIN)).conj()
    other = TRANSPOSED if options.operation == PLAIN else PLAIN
    return solve(dl, d, du, g, options._replace(operation=other))


def _sum_to(g, shape):
    axes = tuple(k for k, (have, want) in enumerate(zip(g.shape, shape)) if have != want)
    return jnp.sum(g, axis=axes, keepdims=True) if axes else g


def _batch(operands, dims, *, options, call):
    del call
    mapped = dims[3] if dims[3] is not None else next(d for d in dims if d is not None)
    operands = insert_axis(operands, dims, mapped)
    axis = options.axis + (mapped <= options.axis)
    return solve(*operands, options._replace(axis=axis)), mapped


ad.primitive_jvps[_primitive.primitive] = _jvp
ad.primitive_transposes[_primitive.primitive] = _transpose
batching.primitive_batchers[_primitive.primitive] = _batch
