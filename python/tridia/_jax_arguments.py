# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Arguments of tridia.jax: what becomes an array, of which type, and how operands broadcast."""

import jax
import jax.numpy as jnp
import numpy as np

from tridia import _checks

TYPES = ("float32", "float64", "complex64", "complex128")


def as_array(name, a):
    """Returns an array of JAX, of one itself, of NumPy's, of numbers and sequences of them."""
    if isinstance(a, (jax.Array, jax.core.Tracer)):
        return a
    if not isinstance(a, (np.ndarray, np.generic, int, float, complex, list, tuple)):
        raise TypeError(f"{name}: must be an array of JAX or NumPy, not {type(a).__name__}")
    try:
        return jnp.asarray(a)
    except (TypeError, ValueError) as e:
        raise TypeError(f"{name}: {e}") from None


def computed_type(name, dtype):
    """Returns the type that is computed in: integers become the default float, which is float64
    where 64 bits are enabled, and halves float32."""
    if not (jnp.issubdtype(dtype, jnp.number) or dtype == bool):
        raise TypeError(f"{name}: is of {dtype}, but must be of real or complex numbers")
    if not jnp.issubdtype(dtype, jnp.inexact):
        dtype = jnp.promote_types(dtype, jnp.float_)
    dtype = jnp.float32 if dtype.itemsize < 4 else dtype
    if str(np.dtype(dtype)) not in TYPES:
        raise TypeError(f"{name}: is of {dtype}, but tridia computes in {', '.join(TYPES)}")
    return dtype


def refuse(reason, **arguments):
    """Refuses arguments that are for arrays of other frameworks."""
    for name, value in arguments.items():
        if value is not None:
            raise TypeError(f"{name}: {reason}")


def as_static(name, value):
    """Refuses a number that is traced, where it has to be known."""
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"{name}: is traced, but has to be known when the operator is made")
    return value


def axis_from_0(axis, rank):
    axis = _checks.integer("axis", axis)
    if not -rank <= axis < rank:
        axes = "axis" if rank == 1 else "axes"
        raise ValueError(f"axis: {axis} is out of range for {rank} {axes}")
    return axis % rank


def broadcast(operands, axis, periodic):
    """Returns dl, d, du, b with one rank, the axis from 0, and whether dl and du are one shorter.

    An extent of 1 stays where an operand is broadcast along the batch, so that nothing is copied;
    along the axis all get their rows. A one-dimensional
    operand lies along the axis; others are aligned at the last axis, as NumPy's.
    """
    rank = max(a.ndim for a in operands)
    if rank == 0:
        raise ValueError("b: has no axis, but systems lie along one")
    axis = axis_from_0(axis, rank)
    given = dict(zip(("dl", "d", "du", "b"), operands))
    aligned = [_with_rank(a, axis, rank) for a in operands]
    rows_d, rows_b = (aligned[k].shape[axis] for k in (1, 3))
    if rows_d != rows_b and 1 not in (rows_d, rows_b):
        _disagree(given, "d", f"{rows_d} and {rows_b} rows along the axis")
    rows = rows_d if rows_b == 1 else rows_b
    have_axis = operands[0].ndim > 0 and operands[2].ndim > 0
    short = (not periodic and rows > 0 and have_axis and
             aligned[0].shape[axis] == aligned[2].shape[axis] == rows - 1)
    for name, a in zip(("dl", "du"), (aligned[0], aligned[2])):
        if not short and a.shape[axis] not in (rows, 1):
            wanted = str(rows) if periodic else f"{rows}, or both off-diagonals {rows - 1}"
            _disagree(given, name, f"{a.shape[axis]} entries along the axis, but there must be "
                                   f"{wanted}")
    _check_batch(given, aligned, axis)
    off = rows - 1 if short else rows
    return [_with_rows(a, axis, n) for a, n in zip(aligned, (off, rows, off, rows))], axis, short


def _with_rank(a, axis, rank):
    if a.ndim == 1:
        return a.reshape((1,) * axis + a.shape + (1,) * (rank - 1 - axis))
    return a.reshape((1,) * (rank - a.ndim) + a.shape)


def _with_rows(a, axis, rows):
    return jnp.broadcast_to(a, (*a.shape[:axis], rows, *a.shape[axis + 1:]))


def _check_batch(given, aligned, axis):
    extents = [1 if k == axis else n for k, n in enumerate(aligned[3].shape)]
    for name, a in zip(("dl", "d", "du"), aligned):
        for k, own in enumerate(a.shape):
            if k == axis or own == 1:
                continue
            if extents[k] not in (1, own):
                _disagree(given, name, "each extent must be the same, or 1")
            extents[k] = own


def _disagree(given, name, reason):
    raise ValueError(f"{name}: its shape {given[name].shape} does not fit that of b, "
                     f"{given['b'].shape}: {reason}")
