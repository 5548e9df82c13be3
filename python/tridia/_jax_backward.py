# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of the JAX primitive that solves, by two more primitives.

With A x = b, a tangent is dx = A^-1 (db - dA x): `tridia_tangent`, which is linear in dA and db and
made of a product and a solve. Its transpose is `tridia_backward`, one call of the library that
computes all gradients. What is differentiated again is composed of solves and products, so that
derivatives of all orders are there.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir

from tridia import _jax_solve
from tridia._jax_ffi import (SplitPrimitive, allow_in_shard_map, compiled, insert_axis,
                             shape_and_type, sum_name)
from tridia._jax_products import diagonals, multiply, multiply_transposed
from tridia._jax_solve import (SolveOptions, attributes, names_of, out_shape, solve, solve_adjoint,
                               sum_to)


def _or_none(tangent):
    return None if isinstance(tangent, ad.Zero) else tangent


def _zero(primal):
    return ad.Zero(jax.typeof(primal).to_tangent_aval())


def _added(*terms):
    """Returns the sum of those terms that are not None, or None."""
    terms = [t for t in terms if t is not None]
    return sum(terms[1:], terms[0]) if terms else None


def _product(function, dots, x, options):
    """Returns minus a product with a matrix of tangents; None where all are None, or x is."""
    if x is None or all(t is None for t in dots):
        return None
    return -function(*dots, x, options)


# ---- the tangent of a solve

class TangentOptions(NamedTuple):
    """Holds the options of the solve, and which tangents there are: of dl, d, du and b."""

    solve: SolveOptions
    given: tuple


def _tangent_call(dl, d, du, x, *tangents, options):
    dots = _spread(tangents, options.given)
    rhs = _added(_product(multiply, dots[:3], x, options.solve), dots[3])
    return solve(dl, d, du, rhs, options.solve)


def _spread(arrays, given):
    arrays = iter(arrays)
    return [next(arrays) if g else None for g in given]


_tangent = Primitive("tridia_tangent")
_tangent.def_impl(lambda *operands, options, call: compiled(call)(*operands)[0])
mlir.register_lowering(_tangent, mlir.lower_fun(
    lambda *operands, options, call: jaxpr_as_fun(call)(*operands)[0], multiple_results=False))
allow_in_shard_map(_tangent)


@functools.lru_cache(maxsize=1024)
def _traced(options, *operands):
    return jax.make_jaxpr(functools.partial(_tangent_call, options=options))(*operands)


@_tangent.def_abstract_eval
def _abstract_tangent(dl, d, du, x, *tangents, options, call):
    del dl, d, du, options
    shape = call.out_avals[0].shape
    # One of that shape says how it is split where the mesh's axes are explicit.
    like = next((o for o in (x, *tangents) if o.shape == shape), None)
    if like is not None:
        return like.update(weak_type=False)
    return jax.core.ShapedArray(shape, x.dtype)


def tangent(matrix, x, dots, options):
    """Returns op(A)^-1 (db - op(dA) x); `dots` are those of dl, d, du and b, None where they are 0.
    """
    if all(t is None for t in dots[:3]):
        return solve(*matrix, dots[3], options)
    operands = *matrix, x, *(t for t in dots if t is not None)
    options = TangentOptions(options, tuple(t is not None for t in dots))
    call = _traced(options, *(shape_and_type(o.shape, o.dtype) for o in operands))
    return _tangent.bind(*operands, options=options, call=call)


def _tangent_of(out, matrix, x, dots, options):
    """Returns a tangent in the shape of `out`, which more operands may have a part in."""
    return jnp.broadcast_to(tangent(matrix, x, dots, options), out.shape)


def _jvp_of_solve(primals, tangents, *, options, call):
    del call
    x = solve(*primals, options)
    dots = [_or_none(t) for t in tangents]
    if all(t is None for t in dots):
        return x, _zero(x)
    return x, _tangent_of(x, primals[:3], x, dots, options)


def _jvp_of_tangent(primals, tangents, *, options, call):
    del call
    (dl, d, du, x, *inputs), dots = primals, [_or_none(t) for t in tangents]
    given = _spread(inputs, options.given)
    out = tangent((dl, d, du), x, given, options.solve)
    if all(t is None for t in dots):
        return out, _zero(out)
    changes = _spread(dots[4:], options.given)
    rhs = _added(changes[3], _product(multiply, changes[:3], x, options.solve),
                 _product(multiply, given[:3], dots[3], options.solve))
    return out, _tangent_of(out, (dl, d, du), out, (*dots[:3], rhs), options.solve)


def _transpose_of_tangent(cotangent, dl, d, du, x, *linear, options, call):
    del call
    if any(ad.is_undefined_primal(a) for a in (dl, d, du, x)):
        raise NotImplementedError("tridia: a tangent is linear in the other tangents alone")
    shapes = [a.aval.shape if a is not None and ad.is_undefined_primal(a) else None
              for a in _spread(linear, options.given)]
    if isinstance(cotangent, ad.Zero):
        found = [ad.Zero(a.aval) if ad.is_undefined_primal(a) else None for a in linear]
        return [None] * 4 + found
    if all(s is None for s in shapes[:3]):
        of_b, of_matrix = solve_adjoint(dl, d, du, cotangent, options.solve), [None] * 3
    else:
        of_b, *of_matrix = backward((dl, d, du), x, cotangent, shapes[:3], options.solve)
        of_matrix = _spread(of_matrix, [s is not None for s in shapes[:3]])
    of_b = None if shapes[3] is None else sum_to(of_b, shapes[3])
    return [None] * 4 + [g for g, there in zip((*of_matrix, of_b), options.given) if there]


def _batch_tangent(operands, dims, *, options, call):
    del call
    mapped = dims[3] if dims[3] is not None else next(d for d in dims if d is not None)
    dl, d, du, x, *inputs = insert_axis(operands, dims, mapped)
    moved = options.solve._replace(axis=options.solve.axis + (mapped <= options.solve.axis))
    return tangent((dl, d, du), x, _spread(inputs, options.given), moved), mapped


# ---- the backward pass

class BackwardOptions(NamedTuple):
    """Holds the options of the solve, and the shapes of the gradients of dl, d and du: None where
    one is not wanted, an extent of 1 where it is summed."""

    solve: SolveOptions
    shapes: tuple


def _wanted(options):
    return [s for s in options.shapes if s is not None]


def _backward_shapes(shapes, options):
    return [out_shape(shapes[:4], options.solve), *_wanted(options)]


def _backward_call(dl, d, du, x, g, options):
    # Each device has a part of the batch, so that shapes are those of the operands here.
    whole = x.shape

    def local(shape):
        return tuple(e if e == 1 or k == options.solve.axis else whole[k]
                     for k, e in enumerate(shape))

    results = [shape_and_type(s, x.dtype) for s in (whole, *map(local, _wanted(options)))]
    bits = sum(1 << k for k, s in enumerate(options.shapes) if s is not None)
    call = jax.ffi.ffi_call("tridia_backward", results)
    return tuple(call(dl, d, du, x, g, wanted=np.int64(bits), **attributes(options.solve)))


def _backward_factors(shapes, outs, options):
    full, names = outs[0], functools.partial(names_of, full=outs[0], options=options.solve)
    results = [names(len(shapes), full)]
    for k, shape in enumerate(outs[1:], start=1):
        own = names(len(shapes) + k, shape)
        results.append([sum_name(f"batch{axis}", k) if name.startswith("one") else name
                        for axis, name in enumerate(own)])
    return [names(k, s) for k, s in enumerate(shapes)], results


_backward = SplitPrimitive("tridia_backward", _backward_shapes, _backward_call, _backward_factors,
                           several=True)


def backward(matrix, x, g, shapes, options):
    """Returns the gradient of b, in the shape of x, and those of the diagonals whose shape is not
    None: y with op(A)^T y = g, and the diagonals of -y x^T."""
    full = out_shape([*(a.shape for a in matrix), x.shape, g.shape], options)
    x, g = (jnp.broadcast_to(a, full) for a in (x, g))
    return _backward.bind(*matrix, x, g, options=BackwardOptions(options, tuple(shapes)))


def _jvp_of_backward(primals, tangents, *, options, call):
    del call
    dl, d, du, x, g = primals
    *dots, x_dot, g_dot = (_or_none(t) for t in tangents)
    found = backward((dl, d, du), x, g, options.shapes, options.solve)
    y, changes = found[0], []
    rhs = _added(g_dot, _product(multiply_transposed, dots, y, options.solve))
    if rhs is not None:
        y_dot = solve_adjoint(dl, d, du, rhs, options.solve)
        changes.append(diagonals(y_dot, x, options.shapes, options.solve))
    if x_dot is not None:
        changes.append(diagonals(y, x_dot, options.shapes, options.solve))
    zeros = [_zero(f) for f in found]
    of_matrix = [_added(*terms) for terms in zip(*changes)] or zeros[1:]
    return found, [zeros[0] if rhs is None else y_dot, *of_matrix]


def _transpose_of_backward(cotangents, dl, d, du, x, g, *, options, call):
    del call
    if any(ad.is_undefined_primal(a) for a in (dl, d, du, x)):
        raise NotImplementedError("tridia: a backward pass is linear in the cotangent alone")
    of_b, *of_matrix = (_or_none(c) for c in cotangents)
    dots = *_spread(of_matrix, [s is not None for s in options.shapes]), of_b
    if all(t is None for t in dots):
        return [None] * 4 + [ad.Zero(g.aval)]
    return [None] * 4 + [tangent((dl, d, du), x, dots, options.solve)]


def _batch_backward(operands, dims, *, options, call):
    del call
    mapped = dims[4] if dims[4] is not None else next(d for d in dims if d is not None)
    size = next(a.shape[d] for a, d in zip(operands, dims) if d is not None)
    dl, d, du, x, g = insert_axis(operands, dims, mapped)
    moved = options.solve._replace(axis=options.solve.axis + (mapped <= options.solve.axis))
    # Each element of what is mapped over has gradients of its own.
    shapes = [s if s is None else (*s[:mapped], size, *s[mapped:]) for s in options.shapes]
    found = backward((dl, d, du), x, g, shapes, moved)
    return found, [mapped] * len(found)


ad.primitive_jvps[_jax_solve.primitive] = _jvp_of_solve
ad.primitive_jvps[_tangent] = _jvp_of_tangent
ad.primitive_transposes[_tangent] = _transpose_of_tangent
batching.primitive_batchers[_tangent] = _batch_tangent
ad.primitive_jvps[_backward.primitive] = _jvp_of_backward
ad.primitive_transposes[_backward.primitive] = _transpose_of_backward
batching.primitive_batchers[_backward.primitive] = _batch_backward
