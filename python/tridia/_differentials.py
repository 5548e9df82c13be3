# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Gradients, divergences and Laplacians: derivatives along several axes in one call."""

import functools
from typing import Any

import numpy

from tridia import _checks, _native
from tridia._fields import _hashable, _operator, derivative, derivative_quantity, find
from tridia._frameworks import common_type, framework_of, is_jax
from tridia._operator import end_pair


@functools.lru_cache(maxsize=64)
def _together(kind, operators):
    return _native.DifferentialOperator(kind, [op._native for op in operators])


def _rank(f):
    return len(f.shape) if hasattr(f, "shape") else numpy.ndim(f)


def _axes_and_spacings(rank, axes, spacing):
    axes = list(range(rank)) if axes is None else list(_checks.integers("axes", axes))
    try:
        spacings = [float(spacing)] * len(axes)
    except (TypeError, ValueError):
        spacings = [_checks.number("spacing", h) for h in spacing]
    return axes, _each("spacing", spacings, len(axes))


def _each(name, value, count):
    if len(value) != count:
        raise ValueError(f"{name}: has {len(value)} entries, but there are {count} axes")
    return list(value)


def _own_arguments(count, as_derivative):
    """This takes what may differ from axis to axis out of a derivative's arguments, and returns it
    for each axis."""
    own = [{} for _ in range(count)]
    for name in ("periodic", "metric"):
        if name not in as_derivative:
            continue
        value = as_derivative.pop(name)
        is_list = isinstance(value, (list, tuple))
        if name == "metric" and is_list:  # a list of numbers is one metric
            is_list = any(v is None or numpy.ndim(v) > 0 for v in value)
        for arguments, v in zip(own, _each(name, value, count) if is_list else [value] * count):
            arguments[name] = v
    return own


def _is_single(fields, axes, as_derivative):
    """This returns whether derivatives are taken one after another: those that are traced or
    recorded, for which the rules of a derivative hold, and those whose results have shapes of their
    own."""
    if len(axes) < 2 or as_derivative.get("staggering", "none") != "none":
        return True
    if any(is_jax(f) for f in fields):
        return True
    if framework_of(**_named(fields)).name != "torch":
        return False
    from tridia import _torch
    return _torch.is_transformed(*[f for f in fields if hasattr(f, "requires_grad")])


def _named(fields):
    return {"f" if len(fields) == 1 else f"fields[{k}]": f for k, f in enumerate(fields)}


def _apply(kind, order, fields, axes, spacings, own, outs, add, stream, scheme="C6", closure=None,
           ends=("closure", "closure"), staggering="none"):
    """This applies derivatives in one call, to fields of one type and framework. ``outs`` is None,
    or a list."""
    found = find(derivative_quantity(order), scheme, staggering)
    framework = framework_of(**_named(fields), out=None if outs is None else outs[0])
    with framework.current(stream):  # what is converted is in order with the operator
        named = {name: framework.asarray(name, f) for name, f in _named(fields).items()}
        dtype = common_type(framework, **named)
        arrays = [framework.cast(f, dtype) for f in named.values()]
    shape = tuple(arrays[0].shape)
    for name, f in zip(named, arrays):
        if tuple(f.shape) != shape:
            raise ValueError(f"{name}: its shape is {tuple(f.shape)}, but that of the first field "
                             f"is {shape}")
    count = len(axes) if kind == "gradient" else 1
    if outs is None and framework.name == "numpy":
        outs = [numpy.empty_like(arrays[0], subok=False) for _ in range(count)]  # laid out as f is
    for out in outs or ():
        if not hasattr(out, "shape"):
            raise TypeError(f"out: must be an array, not {type(out).__name__}")
        if tuple(out.shape) != shape:
            raise ValueError(f"out: its shape is {tuple(out.shape)}, but that of the field is "
                             f"{shape}")
    device = f"cuda:{framework.device}" if framework.cuda else "cpu"
    ends, name = end_pair(ends), framework.dtype(arrays[0]).name
    operators = tuple(
        _operator(found, shape, name, tuple(framework.strides(arrays[k if len(arrays) > 1 else 0])),
                  None if outs is None else tuple(framework.strides(outs[k if count > 1 else 0])),
                  axis, h, closure, mine.get("periodic", False), ends,
                  _hashable(mine.get("metric")), device)
        for k, (axis, h, mine) in enumerate(zip(axes, spacings, own)))
    op = _together(kind, operators)
    with framework.current(stream):
        described = [framework.describe("f", f) for f in arrays]
        results = None if outs is None else [framework.describe("out", out) for out in outs]
        made = op.apply(described, results, add, None, framework.stream(stream),
                        framework.allocator())
    if outs is not None:
        return outs
    return [x.owner if isinstance(x, _native.Array) else x for x in made]


def gradient(f: Any, /, spacing: Any = 1.0, *, axes: Any = None, **as_derivative: Any) -> tuple:
    """This returns the derivatives of a field along several axes, as ``numpy.gradient`` does.

    ``spacing`` is one number or one for each axis; ``axes`` are all by default. The other arguments
    are those of ``derivative``; ``periodic`` and ``metric`` may be lists with one for each axis. On
    a CPU, derivatives along the two fastest axes are computed together where one of them can read
    the field from a cache.

    >>> x, y = np.mgrid[:8.0, :8.0]
    >>> fx, fy = tridia.gradient(x * y)
    >>> bool(abs(fx - y).max() < 1e-12 and abs(fy - x).max() < 1e-12)
    True
    """
    for name in ("axis", "out", "add"):
        if name in as_derivative:
            raise TypeError(f"{name}: is not an argument of gradient")
    axes, spacings = _axes_and_spacings(_rank(f), axes, spacing)
    own = _own_arguments(len(axes), as_derivative)
    if _is_single([f], axes, as_derivative):
        return tuple(derivative(f, h, axis=k, **mine, **as_derivative)
                     for k, h, mine in zip(axes, spacings, own))
    order, stream = as_derivative.pop("order", 1), as_derivative.pop("stream", None)
    return tuple(_apply("gradient", order, [f], axes, spacings, own, None, None, stream,
                        **as_derivative))


def _sum(kind, order, fields, axes, spacings, out, add, stream, as_derivative):
    if not axes:
        raise ValueError("axes: are none, but a sum has at least one term")
    if add is not None:
        add = _checks.number("add", add)
        if out is None:
            raise ValueError("add: needs out, which the result is added to")
    own = _own_arguments(len(axes), as_derivative)
    if _is_single(fields, axes, as_derivative):
        if out is not None and len(axes) > 1:
            raise ValueError("out: is not taken where a gradient or a transform is in force, for "
                             "arrays of JAX, or with staggering: the result is a new array")
        terms = [derivative(fields[k if len(fields) > 1 else 0], h, order=order, axis=axis, out=out,
                            add=add, stream=stream, **mine, **as_derivative)
                 for k, (axis, h, mine) in enumerate(zip(axes, spacings, own))]
        return functools.reduce(lambda a, b: a + b, terms)
    return _apply(kind, order, fields, axes, spacings, own, None if out is None else [out], add,
                  stream, **as_derivative)[0]


def divergence(fields: Any, /, spacing: Any = 1.0, *, axes: Any = None, out: Any = None,
               add: float | None = None, stream: Any = None, **as_derivative: Any) -> Any:
    """This returns the divergence of a vector field: the sum of the derivatives of its components,
    each along its own axis.

    Parameters
    ----------
    fields : sequence of array_like
        The components, one for each axis: a list of arrays of one shape, or an array whose first
        axis counts them.
    spacing : float or sequence of float
        The distance of neighbouring points, or one for each axis.
    axes : sequence of int, optional
        The axis of each component, all axes in their order by default.
    out : array, optional
        The result is written here; it must not overlap the fields.
    add : float, optional
        Makes ``out`` become ``out + add * result``.
    stream : optional
        A CUDA stream; the framework's current one by default.
    periodic, metric
        As for ``derivative``, the same for each axis, or a list with one for each.
    scheme, closure, ends, staggering
        As for ``derivative``, the same for each axis.

    Returns
    -------
    array
        ``out``, or a new array of the fields' framework. Terms are added in the order of ``axes``.

    Examples
    --------
    >>> x, y = np.mgrid[:8.0, :8.0]
    >>> div = tridia.divergence([x * y, y**2])
    >>> bool(abs(div - 3 * y).max() < 1e-12)
    True
    """
    for name in ("axis", "order"):
        if name in as_derivative:
            raise TypeError(f"{name}: is not an argument of divergence")
    fields = [fields[k] for k in range(len(fields))]
    if not fields:
        raise ValueError("fields: are none, but a divergence has at least one component")
    axes, spacings = _axes_and_spacings(_rank(fields[0]), axes, spacing)
    if len(axes) != len(fields):
        raise ValueError(f"fields: are {len(fields)}, but there are {len(axes)} axes")
    return _sum("divergence", 1, fields, axes, spacings, out, add, stream, as_derivative)


def laplacian(f: Any, /, spacing: Any = 1.0, *, axes: Any = None, out: Any = None,
              add: float | None = None, stream: Any = None, **as_derivative: Any) -> Any:
    """This returns the Laplacian of a field: the sum of its second derivatives along several axes.

    ``spacing`` is one number or one for each axis; ``axes`` are all by default. ``out``, which must
    not overlap ``f``, ``add``, ``stream`` and ``periodic`` are as for ``divergence``; the other
    arguments are those of ``derivative``, the same for each axis. Terms are added in the order of
    ``axes``.

    >>> x, y = np.mgrid[:8.0, :8.0]
    >>> bool(abs(tridia.laplacian(x**2 + 3 * y**2) - 8).max() < 1e-11)
    True
    """
    for name in ("axis", "order", "metric"):
        if name in as_derivative:
            raise TypeError(f"{name}: is not an argument of laplacian")
    axes, spacings = _axes_and_spacings(_rank(f), axes, spacing)
    return _sum("laplacian", 2, [f], axes, spacings, out, add, stream, as_derivative)
