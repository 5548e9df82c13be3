# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The JAX primitive that applies a compact operator, which is linear: its transpose is the adjoint
operator, so that it has derivatives of all orders in both modes."""

from typing import NamedTuple

import jax
import numpy as np
from jax.interpreters import ad, batching

from tridia._jax_ffi import SplitPrimitive, shape_and_type


class OperatorOptions(NamedTuple):
    """Holds the options of a compact operator, as the handler takes them."""

    axis: int  # from 0
    quantity: str
    staggering: str
    scheme: str
    scheme_rows: tuple  # numbers: of each row sub, diag, sup, first, how many weights, and these
    closure: str = ""
    closure_rows: tuple = ()  # the same, after the counts of head and tail; empty: the usual ones
    spacing: float = 1.0
    periodic: bool = False
    head: str = "closure"
    tail: str = "closure"
    metric: tuple = ()
    adjoint: bool = False


def results_of(points, options):
    """Returns how many results a line of this many points has."""
    if options.periodic or options.staggering == "none":
        return points
    return points - 1 if options.staggering == "to_midpoints" else points + 1


def _points_of(results, options):
    return results - (results_of(results, options) - results)


def _out_shape(shapes, options):
    (shape,), axis = shapes, options.axis
    count = (_points_of if options.adjoint else results_of)(shape[axis], options)
    return shape[:axis] + (count,) + shape[axis + 1:]


def _call(f, options):
    call = jax.ffi.ffi_call("tridia_operator",
                            shape_and_type(_out_shape([f.shape], options), f.dtype))
    as_numbers = {name: np.asarray(getattr(options, name), np.float64)
                  for name in ("scheme_rows", "closure_rows", "metric")}
    return call(f, **options._asdict() | as_numbers | {
        "axis": np.int64(options.axis), "spacing": np.float64(options.spacing)})


def _factors(shapes, out_shape, options):
    del out_shape

    def names(end):
        return [end if axis == options.axis else f"batch{axis}" for axis in range(len(shapes[0]))]

    return [names("whole0")], names("whole1")


_primitive = SplitPrimitive("tridia_operator", _out_shape, _call, _factors)


def row_numbers(rows):
    """Returns rows of a scheme as numbers one after another."""
    return sum(((r.sub, r.diag, r.sup, float(r.first), float(len(r.weights)), *r.weights)
                for r in rows), ())


def apply(f, options):
    """Applies the operator, or its adjoint, along one axis of f."""
    return _primitive.bind(f, options=options)


def _transpose(cotangent, f, *, options, call):
    del call
    if isinstance(cotangent, ad.Zero):
        return (ad.Zero(f.aval),)
    return (apply(cotangent, options._replace(adjoint=not options.adjoint)),)


def _batch(operands, dims, *, options, call):
    del call
    (f,), (dim,) = operands, dims
    axis = options.axis + (dim <= options.axis)
    return apply(f, options._replace(axis=axis)), dim


ad.deflinear2(_primitive.primitive, _transpose)
batching.primitive_batchers[_primitive.primitive] = _batch
