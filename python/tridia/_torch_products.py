# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Products with tridiagonal matrices, and what derivatives of solves consist of besides solves.

Tensors have one rank, and an extent of 1 where they are broadcast. A short off-diagonal has no entry
for the row that lacks a neighbour. Options begin with axis (from the last), periodic, pivoting and
transpose.
"""

from typing import Any

import torch


def is_short(dl: Any, du: Any, rows: int, axis: int, periodic: bool) -> bool:
    """This returns whether off-diagonals have one entry less than there are rows."""
    return not periodic and rows > 0 and dl.shape[axis] == du.shape[axis] == rows - 1


def solution_shape(dl: Any, d: Any, du: Any, b: Any, axis: int, periodic: bool) -> list[int]:
    """This returns the shape of x; raises RuntimeError where those of aligned tensors do not fit."""
    rows = torch.broadcast_shapes((d.shape[axis],), (b.shape[axis],))[0]
    shapes = [list(t.shape) for t in (dl, d, du, b)]
    if is_short(dl, du, rows, axis, periodic):
        shapes[0][axis] = shapes[2][axis] = rows
    found = torch.broadcast_shapes(*shapes)
    if found[axis] != rows:
        raise RuntimeError("there are more entries off the diagonal than on it")
    return list(found)


def _shifted(x, axis, by, periodic):
    """Returns x[i - by], by = 1 or -1: 0 beyond an end, or from the other end."""
    if periodic:
        return torch.roll(x, by, axis)
    zero = torch.zeros_like(x.narrow(axis, 0, min(1, x.shape[axis])))
    n = x.shape[axis]
    if n < 2:
        return zero
    if by > 0:
        return torch.cat([zero, x.narrow(axis, 0, n - 1)], axis)
    return torch.cat([x.narrow(axis, 1, n - 1), zero], axis)


def _off_diagonal(t, rows, axis, short):
    """Returns an off-diagonal with all of its entries, if it is one number for all rows."""
    if short or t.shape[axis] == rows:
        return t
    shape = list(t.shape)
    shape[axis] = rows
    return t.expand(shape)


def times(matrix: Any, x: Any, options: Any, short: bool) -> Any:
    """This returns op(A) x, where the matrix has three diagonals; those that are None are 0."""
    axis, periodic, transpose = options[0], options[1], options[3]
    dl, d, du = (None if t is None else t.conj() if transpose == "H" else t for t in matrix)
    total = torch.zeros_like(x) if d is None else d * x
    for t, by in ((dl, 1), (du, -1)):
        if t is None:
            continue
        t = _off_diagonal(t, x.shape[axis], axis, short)
        if short:
            shape = list(t.shape)
            shape[axis] = 1
            pad = t.new_zeros(shape)
            t = torch.cat([pad, t] if by > 0 else [t, pad], axis)
        if transpose is None:
            total = total + t * _shifted(x, axis, by, periodic)
        else:
            total = total + _shifted(t * x, axis, -by, periodic)
    return total


def adjoint_times(matrix: Any, y: Any, options: Any, short: bool) -> Any:
    """This returns op(A)^H y."""
    transpose = options[3]
    if transpose == "T":
        matrix = [None if t is None else t.conj() for t in matrix]
    adjoint = "H" if transpose is None else None
    return times(matrix, y, (*options[:3], adjoint), short)


def adjoint_solve(dl: Any, d: Any, du: Any, g: Any, options: Any, solve: Any) -> Any:
    """This returns the solution of op(A)^H y = g; ``solve(dl, d, du, g, *options)`` solves."""
    axis, periodic, pivoting, transpose, algorithm, threads = options
    adjoint = {None: "H" if g.is_complex() else "T", "H": None, "T": None}[transpose]
    conjugated = transpose == "T" and g.is_complex()
    g = g.conj().resolve_conj() if conjugated else g
    y = solve(dl, d, du, g, axis, periodic, pivoting, adjoint, algorithm, threads)
    return y.conj().resolve_conj() if conjugated else y


def products(y: Any, x: Any, options: Any, shapes: Any, short: bool) -> list[Any]:
    """This returns the diagonals of -y x^H, moved to where op took them from, summed to shapes."""
    axis, periodic, transpose = options[0], options[1], options[3]
    left, right = (x, y.conj()) if transpose == "H" else (y, x.conj())
    if transpose == "T":
        left, right = right, left
    minus, found = -left, []
    for shape, by in zip(shapes, (1, 0, -1)):
        if shape is None:
            found.append(None)
            continue
        product = minus * (_shifted(right, axis, by, periodic) if by else right)
        if short and by:
            # A short off-diagonal has no entry for the row that lacks a neighbour.
            product = product.narrow(axis, 1 if by > 0 else 0, product.shape[axis] - 1)
        found.append(product.sum_to_size(shape))
    return found


def backward_of_backward(saved: Any, options: Any, cotangents: Any, needed: Any,
                         solve: Any) -> list[Any]:
    """This returns the gradients of dl, d, du, x and g, from those of what a backward pass returned.

    ``saved`` holds dl, d, du, x and the gradient of b, y, which solves op(A)^H y = g;
    ``cotangents`` are those of dl, d, du and b. All is made of differentiable operations:
    ``solve(dl, d, du, b, *options)`` and products.
    """
    dl, d, du, x, y = saved
    *matrix, change = cotangents
    change = torch.zeros_like(x) if change is None else change
    short = is_short(dl, du, x.shape[options[0]], options[0], options[1])
    some = any(t is not None for t in matrix)
    # A loss changes by <change, dy> + <matrix, d(-y x^H)>.
    if some:
        change = change - times(matrix, x, options, short)
    of_g = solve(dl, d, du, change, *options)
    shapes = [t.shape if n else None for t, n in zip((dl, d, du), needed)]
    of_x = None
    if needed[3] and some:
        of_x = -adjoint_times(matrix, y, options, short)
    return [*products(y, of_g, options, shapes, short), of_x, of_g if needed[4] else None]
