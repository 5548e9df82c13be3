# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The JAX primitive that solves tridiagonal systems, its rule for `vmap`, and how it is split over
devices. Its derivatives are in `_jax_backward`.

Operands have one rank, and extent 1 where they are broadcast; the systems lie along one axis of
them.
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


def out_shape(shapes, options):
    """Returns the shape of x; that of the fourth operand has its rows."""
    axis = options.axis
    batch = np.broadcast_shapes(*(s[:axis] + (1,) + s[axis + 1:] for s in shapes))
    return batch[:axis] + (shapes[3][axis],) + batch[axis + 1:]


def attributes(options):
    """Returns the options as a handler takes them."""
    return dict(axis=np.int64(options.axis), periodic=options.periodic, pivoting=options.pivoting,
                short_off_diagonals=options.short_off_diagonals,
                operation=np.int64(options.operation), algorithm=options.algorithm,
                threads=np.int64(options.threads))


def _call(dl, d, du, b, options):
    shape = out_shape([a.shape for a in (dl, d, du, b)], options)
    call = jax.ffi.ffi_call("tridia_solve", shape_and_type(shape, b.dtype))
    return call(dl, d, du, b, **attributes(options))


def names_of(k, shape, full, options):
    """Names the dimensions of array number k, for the split over devices: along the systems all are
    whole."""
    return [f"whole{k}" if axis == options.axis else
            f"batch{axis}" if extent == full[axis] else f"one{k}x{axis}"
            for axis, extent in enumerate(shape)]


def _factors(shapes, out, options):
    return ([names_of(k, s, out, options) for k, s in enumerate(shapes)],
            names_of(len(shapes), out, out, options))


_primitive = SplitPrimitive("tridia_solve", out_shape, _call, _factors)
primitive = _primitive.primitive


def solve(dl, d, du, b, options):
    """Solves with operands of one rank."""
    return _primitive.bind(dl, d, du, b, options=options)


def _transpose(cotangent, dl, d, du, b, *, options, call):
    del call
    if any(ad.is_undefined_primal(a) for a in (dl, d, du)):
        raise NotImplementedError("tridia: a solve is linear in its right-hand side alone")
    if isinstance(cotangent, ad.Zero):
        return None, None, None, ad.Zero(b.aval)
    g = solve_adjoint(dl, d, du, cotangent, options)
    return None, None, None, sum_to(g, b.aval.shape)


def solve_adjoint(dl, d, du, g, options):
    """Solves with the transpose of op(A), which is op(A^T) and, for A^H, conj(A)."""
    if options.operation == CONJUGATED:
        return solve(dl, d, du, g.conj(), options._replace(operation=PLAIN)).conj()
    other = TRANSPOSED if options.operation == PLAIN else PLAIN
    return solve(dl, d, du, g, options._replace(operation=other))


def sum_to(g, shape):
    """Sums over the axes along which `shape` has extent 1."""
    axes = tuple(k for k, (have, want) in enumerate(zip(g.shape, shape)) if have != want)
    return jnp.sum(g, axis=axes, keepdims=True) if axes else g


def _batch(operands, dims, *, options, call):
    del call
    mapped = dims[3] if dims[3] is not None else next(d for d in dims if d is not None)
    operands = insert_axis(operands, dims, mapped)
    axis = options.axis + (mapped <= options.axis)
    return solve(*operands, options._replace(axis=axis)), mapped


ad.primitive_transposes[primitive] = _transpose
batching.primitive_batchers[primitive] = _batch
