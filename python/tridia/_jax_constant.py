# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The JAX primitive that solves with a matrix of constants, which is linear in the right-hand side:
its transpose is the solve with the transposed matrix."""

from typing import NamedTuple

import jax
import numpy as np
from jax.interpreters import ad, batching

from tridia._jax_ffi import SplitPrimitive, shape_and_type
from tridia._jax_solve import CONJUGATED, PLAIN, TRANSPOSED


class ConstantOptions(NamedTuple):
    """Holds the matrix and the options of a solve with it."""

    axis: int  # from 0
    periodic: bool
    pivoting: bool
    operation: int
    rows: tuple  # complex numbers: dl, d, du of the interior, of the head's rows, of the tail's
    head_count: int


def _call(b, options):
    call = jax.ffi.ffi_call("tridia_constant", shape_and_type(b.shape, b.dtype))
    rows = np.array(options.rows, np.complex128).view(np.float64)
    return call(b, axis=np.int64(options.axis), periodic=options.periodic,
                pivoting=options.pivoting, operation=np.int64(options.operation), rows=rows,
                head_count=np.int64(options.head_count))


def _factors(shapes, out_shape, options):
    del out_shape
    names = ["whole" if axis == options.axis else f"batch{axis}" for axis in range(len(shapes[0]))]
    return [names], names


_primitive = SplitPrimitive("tridia_constant", lambda shapes, options: shapes[0], _call, _factors)


def solve(b, options):
    """Solves along one axis of b."""
    return _primitive.bind(b, options=options)


def transposed(options):
    """Returns the options of the transposed solve; that of A^H is the one of conj(A)."""
    if options.operation == CONJUGATED:
        rows = tuple(v.conjugate() for v in options.rows)
        return options._replace(operation=PLAIN, rows=rows)
    return options._replace(operation=TRANSPOSED if options.operation == PLAIN else PLAIN)


def _transpose(cotangent, b, *, options, call):
    del call
    if isinstance(cotangent, ad.Zero):
        return (ad.Zero(b.aval),)
    return (solve(cotangent, transposed(options)),)


def _batch(operands, dims, *, options, call):
    del call
    (b,), (dim,) = operands, dims
    return solve(b, options._replace(axis=options.axis + (dim <= options.axis))), dim


ad.deflinear2(_primitive.primitive, _transpose)
batching.primitive_batchers[_primitive.primitive] = _batch
