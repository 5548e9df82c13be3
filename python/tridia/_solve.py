# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The one-call forms: solve and solve_banded."""

from typing import Any

import numpy

from tridia import _native
from tridia._frameworks import common_type, framework_of, is_jax

_TENSORS = {"torch", "torch.nn.parameter"}  # their types' modules


def solve(dl: Any, d: Any, du: Any, b: Any, /, *, axis: int = -1, periodic: bool = False,
          pivoting: bool = True, transpose: str | None = None, out: Any = None,
          status: Any = None, algorithm: str | None = None, threads: int = 0,
          stream: Any = None) -> Any:
    """This solves many tridiagonal systems, along one axis of arrays.

    Row i of a system reads ``dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1] = b[i]``.

    Parameters
    ----------
    dl, d, du : array_like
        The diagonals: below, main, above. They broadcast with ``b`` as NumPy's arrays do; a
        one-dimensional one lies along the axis, and is shared by all systems. ``dl[0]`` and
        ``du[n-1]`` are not read, unless periodic; both off-diagonals may have n - 1 entries along
        the axis instead.
    b : array_like
        The right-hand sides. The arrays are of NumPy, CuPy, PyTorch or JAX, or have DLPack, and
        are all of one framework. They are read where they are, with any strides.
    axis : int
        The systems lie along this axis.
    periodic : bool
        Whether ``dl[0]`` couples the first row with the last unknown, and ``du[n-1]`` the last row
        with the first.
    pivoting : bool
        Whether rows are interchanged, as LAPACK does. Systems that are diagonally dominant or
        positive definite need none.
    transpose : None, "T" or "H"
        Solves with the matrix, its transpose or its conjugate transpose.
    out : array, optional
        The result is written here. It may be ``b`` or a diagonal itself; no other overlap.
    status : array of int64, optional
        An entry for each system (the shape of ``out`` without the axis, dense): 0 solved, i > 0
        pivot i is exactly zero, -i row i holds a NaN or an infinity.
    algorithm : str, optional
        One of ``tridia.info()["algorithms"]``.
    threads : int
        Threads of the CPU; 0 takes all.
    stream : optional
        A CUDA stream, or its address; the framework's current one by default.

    Returns
    -------
    array
        ``out``, or a new array of ``b``'s framework. Arrays of several types are promoted as
        NumPy promotes them, integers to float64.

    Raises
    ------
    SingularError
        On a CPU, if a pivot is zero and no ``status`` was passed; after all other systems have
        been solved. The x of a system without a finite solution is NaN.
    TypeError, ValueError
        Where arguments are wrong or do not fit each other; before any work.

    Examples
    --------
    >>> b = np.array([[1.0, 2.0, 3.0], [4.0, 0.0, 4.0]])
    >>> tridia.solve(-1.0, 2.0, -1.0, b)
    array([[2.5, 4. , 3.5],
           [4. , 4. , 4. ]])
    """
    if type(b).__module__ not in _TENSORS:
        if stream is None:
            x = _native.solve(dl, d, du, b, axis, periodic, pivoting, transpose, out, status,
                              algorithm, threads, False, -1, None, None)
            if x is not NotImplemented:
                return x
    else:
        from tridia import _torch
        return _torch.solve(dl, d, du, b, axis, periodic, pivoting, transpose, out, status,
                            algorithm, threads, stream)
    return _solve_any(dl, d, du, b, axis, periodic, pivoting, transpose, out, status, algorithm,
                      threads, stream)


def _solve_any(dl, d, du, b, axis, periodic, pivoting, transpose, out, status, algorithm, threads,
               stream):
    if is_jax(dl, d, du, b):
        from tridia import jax
        return jax.solve(dl, d, du, b, axis=axis, periodic=periodic, pivoting=pivoting,
                         transpose=transpose, out=out, status=status, algorithm=algorithm,
                         threads=threads, stream=stream)
    framework = framework_of(b=b, d=d, dl=dl, du=du, out=out, status=status)
    if framework.name == "torch":
        from tridia import _torch
        return _torch.solve(dl, d, du, b, axis, periodic, pivoting, transpose, out, status,
                            algorithm, threads, stream)
    dtype = common_type(framework, b=b, d=d, dl=dl, du=du)
    with framework.current(stream):  # what is converted is in order with the solve
        arrays = [framework.cast(framework.asarray(name, x), dtype)
                  for name, x in (("dl", dl), ("d", d), ("du", du), ("b", b))]
    options = (axis, periodic, pivoting, transpose)
    return solve_arrays(framework, arrays, options, out, status, algorithm, threads, stream)


def solve_arrays(framework: Any, arrays: Any, options: Any, out: Any, status: Any,
                 algorithm: str | None, threads: int, stream: Any) -> Any:
    """This solves with arrays of one type and one framework."""
    with framework.current(stream):
        described = [framework.describe(name, x)
                     for name, x in zip(("dl", "d", "du", "b"), arrays)]
        x = _native.solve(*described, *options,
                          None if out is None else framework.describe("out", out),
                          None if status is None else framework.describe("status", status),
                          algorithm, threads, framework.cuda, framework.device,
                          framework.stream(stream), framework.allocator())
    if out is not None:
        return out
    return x.owner if isinstance(x, _native.Array) else x


def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any, overwrite_ab: bool = False,
                 overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """This solves a banded system as ``scipy.linalg.solve_banded`` does, for bands of (1, 1).

    Parameters
    ----------
    l_and_u : (1, 1)
        The numbers of diagonals below and above the main one; no others.
    ab : array_like
        The diagonals, ``(3, n)``: ``ab[0, 1:]`` above, ``ab[1]`` main, ``ab[2, :-1]`` below.
        More axes before these are a batch of matrices.
    b : array_like
        The right-hand sides, ``(n,)`` or ``(n, k)``; with a batch ``(..., n, k)``.
    overwrite_ab : bool
        Has no effect: ``ab`` is never changed.
    overwrite_b : bool
        Whether the result may be written into ``b``.
    check_finite : bool
        Whether a NaN or an infinity raises ValueError.

    Raises
    ------
    SingularError
        Where a pivot is zero; it is a ``numpy.linalg.LinAlgError``, as SciPy's.

    Examples
    --------
    >>> ab = [[0.0, -1.0, -1.0], [2.0, 2.0, 2.0], [-1.0, -1.0, 0.0]]
    >>> tridia.solve_banded((1, 1), ab, [1.0, 2.0, 3.0])
    array([2.5, 4. , 3.5])
    """
    if is_jax(ab, b):
        from tridia import jax
        return jax.solve_banded(l_and_u, ab, b)
    if tuple(l_and_u) != (1, 1):
        raise ValueError(f"l_and_u: is {tuple(l_and_u)}, but only (1, 1) is tridiagonal")
    convert = numpy.asarray_chkfinite if check_finite else numpy.asarray
    ab, given = convert(ab), b
    b = convert(b)
    if ab.ndim < 2 or ab.shape[-2] != 3:
        raise ValueError(f"ab: its shape is {ab.shape}, but must be (3, n), with a batch before")
    if b.ndim == 0 or ab.shape[-1] != b.shape[-1 if b.ndim == 1 else -2]:
        raise ValueError(f"b: its shape {b.shape} does not fit that of ab, {ab.shape}")
    dtype = common_type(framework_of(ab=ab, b=b), ab=ab, b=b)
    in_place = overwrite_b and b is given and b.dtype == dtype and b.flags.writeable
    if b.ndim == 1:
        diagonals = (ab[..., 2, :-1], ab[..., 1, :], ab[..., 0, 1:])
        return solve(*diagonals, b, out=b if in_place and ab.ndim == 2 else None)
    # The right-hand sides of a matrix lie along the last axis.
    diagonals = (ab[..., 2, :-1, None], ab[..., 1, :, None], ab[..., 0, 1:, None])
    batch = numpy.broadcast_shapes(ab.shape[:-2], b.shape[:-2])
    in_place = in_place and batch == b.shape[:-2]
    return solve(*diagonals, b, axis=-2, out=b if in_place else None)
