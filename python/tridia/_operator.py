# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Compact schemes applied along an axis of a field."""

from collections.abc import Mapping
from typing import Any

import numpy

from tridia import _checks, _native
from tridia._frameworks import framework_of
from tridia._plan import _mapping
from tridia._schemes import Closure, Scheme

ENDS = ("closure", "symmetric", "antisymmetric", "symmetric_half", "antisymmetric_half")


def end_pair(ends: Any) -> tuple[str, str]:
    """This returns the conditions at both ends; one name is for both."""
    pair = (ends, ends) if isinstance(ends, str) else tuple(ends)
    if len(pair) != 2:
        raise ValueError(f"ends: are two, the first and the last, but {len(pair)} were given")
    return _checks.choice("ends", pair[0], ENDS), _checks.choice("ends", pair[1], ENDS)


class Operator:
    """An operator applies a compact scheme along one axis of fields of one shape, many times.

    It is strict, as a Plan is: its arrays have its type, shape and strides exactly. It is
    immutable, and any number of threads may use it at the same time.

    Parameters
    ----------
    scheme : Scheme
    shape : tuple of int
        The shape of the field that is read.
    dtype
        float32, float64, complex64 or complex128.
    axis : int
    spacing : float
        The distance of neighbouring points.
    closure : str or Closure, optional
        The rows at the ends, as "3-4-6-4-3"; by default the scheme's usual ones.
    periodic : bool
    ends : str or a pair
        "closure", or what mirror image lies beyond: "symmetric", "antisymmetric" (the mirror is
        the first or last point), "symmetric_half", "antisymmetric_half" (half a cell beyond it).
    metric : sequence of float, optional
        dx/dxi at each result of a line, for a first derivative on a stretched grid.
    fields : int, optional
        The number of fields in one call: both arrays have one more axis of this length, the first.
    strides, steps : dict, optional
        Those of "f" and "out", in elements, as for a Plan.
    device, threads
        As for a Plan.

    Examples
    --------
    >>> c6 = tridia.Scheme.named("first_derivative", "C6")
    >>> ddx = tridia.Operator(c6, (64,), "float64", spacing=0.1)
    >>> x = 0.1 * np.arange(64)
    >>> bool(abs(ddx(x**3) - 3 * x**2).max() < 1e-12)
    True
    """

    __slots__ = ("_native", "_arguments", "_transposed", "_cuda", "dtype", "scheme", "__weakref__")

    def __init__(self, scheme: Scheme, shape: Any, dtype: Any, *, axis: int = -1,
                 spacing: float = 1.0, closure: "str | Closure | None" = None,
                 periodic: bool = False, ends: Any = ("closure", "closure"), metric: Any = None,
                 fields: int | None = None, strides: Mapping[str, Any] | None = None,
                 steps: Mapping[str, int] | None = None, device: Any = None,
                 threads: int = 0) -> None:
        if not isinstance(scheme, Scheme):
            raise TypeError(f"scheme: must be a Scheme, not {type(scheme).__name__}: "
                            "tridia.Scheme.named(quantity, name) finds one")
        if closure is not None and not isinstance(closure, Closure):
            closure = Closure.named(scheme, closure)
        name = _checks.type_name(dtype)
        strides = _mapping("strides", strides, ("f", "out"))
        steps = _mapping("steps", steps, ("f", "out"))
        cuda, number = _checks.device(device)
        if metric is None:
            metric = []
        else:
            metric = numpy.asarray(metric, float)
            if metric.ndim != 1:
                raise ValueError(f"metric: its shape is {metric.shape}, but it has one axis")
        self._set(scheme, name, cuda, dict(
            scheme=scheme._native, closure=None if closure is None else closure._native,
            shape=_checks.integers("shape", shape, 0), type=_checks.short_type(name),
            axis=_checks.integer("axis", axis, -2**31, 2**31 - 1),
            spacing=_checks.number("spacing", spacing), periodic=_checks.flag("periodic", periodic),
            ends=list(end_pair(ends)), metric=list(metric), transpose=False,
            fields=None if fields is None else _checks.integer("fields", fields),
            strides=[_checks.integers(f"strides of {k}", strides[k]) if k in strides else []
                     for k in ("f", "out")],
            steps=[_checks.integer(f"steps of {k}", steps.get(k, 0)) for k in ("f", "out")],
            cuda=cuda, device=number, threads=_checks.integer("threads", threads, 0, 2**20)))

    def _set(self, scheme, name, cuda, arguments):
        self.scheme, self.dtype, self._cuda = scheme, numpy.dtype(name), cuda
        self._arguments, self._transposed = arguments, None
        self._native = _native.Operator(**arguments)

    @property
    def T(self) -> "Operator":
        """The adjoint, which reads arrays of ``out_shape`` and writes those of ``shape``.

        For all u and v, the sum of ``op(u) * v`` is that of ``u * op.T(v)``.
        """
        if self._transposed is None:
            other = object.__new__(Operator)
            a = self._arguments
            other._set(self.scheme, self.dtype, self._cuda,
                       {**a, "transpose": not a["transpose"], "strides": a["strides"][::-1],
                        "steps": a["steps"][::-1]})
            other._transposed, self._transposed = self, other
        return self._transposed

    def _in_strides(self):
        """Returns the strides that were asked for, or None for dense arrays."""
        strides, steps = self._arguments["strides"][0], self._arguments["steps"][0]
        if not strides:
            return None
        return tuple(strides) if self._arguments["fields"] is None else (steps, *strides)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array that is read."""
        return tuple(self._native.in_shape)

    @property
    def out_shape(self) -> tuple[int, ...]:
        """The shape of the array that is written."""
        return tuple(self._native.out_shape)

    @property
    def workspace_bytes(self) -> int:
        """The bytes of workspace that a call needs."""
        return self._native.workspace_bytes

    @property
    def warning(self) -> str:
        """A sentence that warns of an unstable closure, or an empty string."""
        return self._native.warning

    @property
    def device(self) -> str:
        """Where the operator runs: "cpu", or "cuda:0" and so on."""
        return f"cuda:{self._native.device}" if self._cuda else "cpu"

    def __repr__(self) -> str:
        return f"<tridia.Operator: {self._native.description}>"

    def __call__(self, f: Any, /, *, out: Any = None, add: float | None = None,
                 workspace: Any = None, stream: Any = None) -> Any:
        """This returns op(f): in ``out``, or in a new array.

        With ``add``, ``out`` becomes ``out + add * op(f)``. ``out`` may be ``f`` where their shapes
        are the same; no other overlap. Lines that hold a NaN do not affect others.
        """
        if add is not None:
            add = _checks.number("add", add)
        if stream is None:
            x = self._native.apply(f, out, add, workspace, None, None)
            if x is not NotImplemented:
                return x
        framework = framework_of(f=f, out=out, workspace=workspace)
        if framework.name == "torch" and out is None:
            from tridia import _torch
            if _torch.is_transformed(f) and tuple(f.shape) == self.shape:
                return _torch.apply_operator(self, f)
        return self._apply(framework, f, out, add, workspace, stream)

    def _apply(self, framework, f, out, add, workspace, stream):
        with framework.current(stream):
            described = {k: None if x is None else framework.describe(k, x)
                         for k, x in dict(f=f, out=out, workspace=workspace).items()}
            x = self._native.apply(described["f"], described["out"], add, described["workspace"],
                                   framework.stream(stream), framework.allocator())
        if out is not None:
            return out
        return x.owner if isinstance(x, _native.Array) else x
