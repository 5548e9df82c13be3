# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Derivatives, interpolation and filters in one call."""

import functools
from typing import Any

import numpy

from tridia import _checks
from tridia._frameworks import common_type, framework_of, is_jax
from tridia._operator import Operator, end_pair
from tridia._schemes import Scheme

_QUANTITIES = {1: "first_derivative", 2: "second_derivative", 3: "third_derivative",
               4: "fourth_derivative"}


@functools.lru_cache(maxsize=64)
def _named(quantity, name, staggering, alpha):
    return Scheme.named(quantity, name, staggering, alpha)


def derivative_quantity(order: Any) -> str:
    """This returns the quantity that the derivative of an order is."""
    if order not in _QUANTITIES:
        raise ValueError(f"order: {order!r} is none of 1, 2, 3, 4")
    return _QUANTITIES[order]


def find(quantity: str, scheme: Any, staggering: str, alpha: float = 0.45) -> Scheme:
    """This returns the scheme that an argument means: a name of this quantity, or itself."""
    if isinstance(scheme, Scheme):
        if (scheme.quantity, scheme.staggering) != (quantity, staggering):
            raise ValueError(f"scheme: {scheme.name} is for {scheme.quantity}, staggering "
                             f"{scheme.staggering}, but {quantity}, {staggering} is asked for")
        return scheme
    if not isinstance(scheme, str):
        raise TypeError(f"scheme: must be a name or a Scheme, not {type(scheme).__name__}")
    return _named(quantity, scheme, _checks.choice("staggering", staggering,
                                                   ("none", "to_midpoints", "to_points")), alpha)


@functools.lru_cache(maxsize=128)
def _operator(scheme, shape, dtype, strides, out_strides, axis, spacing, closure, periodic, ends,
              metric, device):
    return Operator(scheme, shape, dtype, axis=axis, spacing=spacing, closure=closure,
                    periodic=periodic, ends=ends, metric=metric, device=device,
                    strides={name: given for name, given in
                             (("f", strides), ("out", out_strides)) if given is not None})


def _hashable(metric):
    if metric is None:
        return None
    metric = numpy.asarray(metric, float)
    if metric.ndim != 1:
        raise ValueError(f"metric: its shape is {metric.shape}, but it has one axis")
    return tuple(metric.tolist())


def apply(scheme: Scheme, f: Any, axis: int, spacing: float, periodic: bool, closure: Any,
          ends: Any, metric: Any, out: Any, add: Any, stream: Any) -> Any:
    """This applies a scheme to a field of any type, layout and framework."""
    framework = framework_of(f=f, out=out)
    with framework.current(stream):  # what is converted is in order with the operator
        f = framework.asarray("f", f)
        f = framework.cast(f, common_type(framework, f=f))
    dtype = framework.dtype(f).name
    if add is not None and out is None:
        raise ValueError("add: needs out, which the result is added to")
    arguments = (axis, _checks.number("spacing", spacing), closure, periodic, end_pair(ends),
                 _hashable(metric), f"cuda:{framework.device}" if framework.cuda else "cpu")
    if framework.name == "torch":
        from tridia import _torch
        if _torch.is_transformed(f):
            return _differentiable(_torch, scheme, f, dtype, arguments, out)
    strides = tuple(framework.strides(f))
    if out is not None:
        if not hasattr(out, "shape"):
            raise TypeError(f"out: must be an array, not {type(out).__name__}")
        out_strides = tuple(framework.strides(out))
        same = scheme.staggering != "none" or tuple(out.shape) == tuple(f.shape)
        if len(out_strides) != len(strides) or not same:
            raise ValueError(f"out: its shape is {tuple(out.shape)}, but that of f is "
                             f"{tuple(f.shape)}")
    elif framework.name == "numpy" and scheme.staggering == "none":
        out = numpy.empty_like(f, subok=False)  # laid out as f is
        out_strides = framework.strides(out)
    else:
        out_strides = None
    op = _operator(scheme, tuple(f.shape), dtype, strides, out_strides, *arguments)
    return op(f, out=out, add=add, stream=stream)


def _differentiable(torch_side, scheme, f, dtype, arguments, out):
    if out is not None:
        raise ValueError("out: is not taken where a gradient or a transform of torch.func is in "
                         "force: the result is a new tensor")
    axis, *others = arguments
    rank = len(f.shape)
    if not -rank <= _checks.integer("axis", axis) < rank:
        raise ValueError(f"axis: {axis} is out of range for {rank} axes")
    axis = axis % rank - rank  # from the last, so that vmap's axis goes first

    def make(shape, strides, out_strides):
        return _operator(scheme, shape, dtype, strides, out_strides, axis, *others)

    return torch_side.apply_field(f, make)


def derivative(f: Any, /, spacing: float = 1.0, *, order: int = 1, scheme: Any = "C6",
               axis: int = -1, periodic: bool = False, closure: Any = None,
               ends: Any = ("closure", "closure"), staggering: str = "none", metric: Any = None,
               out: Any = None, add: float | None = None, stream: Any = None) -> Any:
    """This returns a derivative of a field along an axis, by a compact scheme of high order.

    Parameters
    ----------
    f : array_like
        The field, of NumPy, CuPy, PyTorch or JAX; integers become float64.
    spacing : float
        The distance of neighbouring points.
    order : 1, 2, 3 or 4
        Which derivative.
    scheme : str or Scheme
        One of ``schemes("first_derivative")``, ``schemes("second_derivative")``, …, for the order.
    axis, periodic, closure, ends, metric
        As for an Operator.
    staggering : "none", "to_midpoints" or "to_points"
        Whether results lie at the points of ``f``, or half a cell off: n - 1 midpoints between
        them, n + 1 points around midpoints (periodic: n).
    out : array, optional
        The result is written here; it may be ``f`` itself.
    add : float, optional
        Makes ``out`` become ``out + add * result``.
    stream : optional
        A CUDA stream; the framework's current one by default.

    Returns
    -------
    array
        ``out``, or a new array of ``f``'s framework.

    Examples
    --------
    >>> x = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    >>> dsin = tridia.derivative(np.sin(x), x[1], periodic=True)
    >>> bool(abs(dsin - np.cos(x)).max() < 1e-6)
    True
    """
    quantity = derivative_quantity(order)
    if is_jax(f):
        from tridia import jax
        return jax.derivative(f, spacing, order=order, scheme=scheme, axis=axis, periodic=periodic,
                              closure=closure, ends=ends, staggering=staggering, metric=metric,
                              out=out, add=add, stream=stream)
    return apply(find(quantity, scheme, staggering), f, axis, spacing, periodic, closure,
                 ends, metric, out, add, stream)


def interpolate(f: Any, /, *, to: str = "midpoints", scheme: Any = "C6", axis: int = -1,
                periodic: bool = False, closure: Any = None, ends: Any = ("closure", "closure"),
                out: Any = None, add: float | None = None, stream: Any = None) -> Any:
    """This returns the values of a field half a cell off, by a compact scheme of high order.

    ``to`` is "midpoints" (from n points to the n - 1 between them) or "points" (from n midpoints
    to the n + 1 around them); periodic lines keep their n. The others are as for ``derivative``.

    >>> tridia.interpolate(np.arange(8.0)).round(12)
    array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5])
    """
    staggering = "to_" + _checks.choice("to", to, ("midpoints", "points"))
    if is_jax(f):
        from tridia import jax
        return jax.interpolate(f, to=to, scheme=scheme, axis=axis, periodic=periodic,
                               closure=closure, ends=ends, out=out, add=add, stream=stream)
    return apply(find("interpolation", scheme, staggering), f, axis, 1.0, periodic, closure, ends,
                 None, out, add, stream)


def filter(f: Any, /, *, scheme: Any = "F8", alpha: float = 0.45, axis: int = -1,
           periodic: bool = False, closure: Any = None, ends: Any = ("closure", "closure"),
           out: Any = None, add: float | None = None, stream: Any = None) -> Any:
    """This returns a field without its shortest waves.

    ``alpha``, up to 0.5, says how few are damped. The others are as for ``derivative``.

    >>> saw = np.array([1.0, -1.0] * 8)
    >>> bool(abs(tridia.filter(saw, periodic=True)).max() < 1e-12)
    True
    """
    if is_jax(f):
        from tridia import jax
        return jax.filter(f, scheme=scheme, alpha=alpha, axis=axis, periodic=periodic,
                          closure=closure, ends=ends, out=out, add=add, stream=stream)
    return apply(find("filter", scheme, "none", _checks.number("alpha", alpha)), f, axis, 1.0,
                 periodic, closure, ends, None, out, add, stream)
