# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Products with tridiagonal matrices, and the diagonals of products of vectors, made of ordinary JAX
operations: what derivatives of second and higher order consist of besides solves.

Entries outside the matrix (dl[0] and du[-1], unless it is periodic) are not read, so that their
derivatives are exactly 0.
"""

import jax.numpy as jnp

from tridia._jax_solve import CONJUGATED, PLAIN, TRANSPOSED, sum_to


def multiply(dl, d, du, x, options):
    """Returns op(A) x, without the diagonals that are None."""
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


def multiply_transposed(dl, d, du, y, options):
    """Returns op(A)^T y, without the diagonals that are None."""
    if options.operation == CONJUGATED:  # the transpose of A^H is the conjugate of A
        dl, d, du = (a if a is None else a.conj() for a in (dl, d, du))
    other = TRANSPOSED if options.operation == PLAIN else PLAIN
    return multiply(dl, d, du, y, options._replace(operation=other))


def diagonals(y, x, shapes, options):
    """Returns the diagonals of -y x^T, moved to where op takes them from, summed to these shapes;
    those whose shape is None are left out."""
    rows, columns = (y, x) if options.operation == PLAIN else (x, y)
    if options.operation == CONJUGATED:
        rows, columns = rows.conj(), columns.conj()
    n, axis = rows.shape[options.axis], options.axis
    found = []
    for shape, step in zip(shapes, (1, 0, -1)):
        if shape is None:
            continue
        if step == 0:
            product = rows * columns
        elif options.periodic:
            product = rows * jnp.roll(columns, step, axis)
        else:
            first, last = slice(0, max(n - 1, 0)), slice(1, n)
            mine, other = (last, first) if step == 1 else (first, last)
            product = _part(rows, axis, mine) * _part(columns, axis, other)
            if not options.short_off_diagonals:
                widths = [(0, 0)] * product.ndim
                widths[axis] = (min(n, 1), 0) if step == 1 else (0, min(n, 1))
                product = jnp.pad(product, widths)
        found.append(sum_to(-product, shape))
    return found
