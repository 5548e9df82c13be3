# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tensors of PyTorch: gradients, forward mode and vmap of solves and operators.

A tensor that needs none of them goes straight to the kernel. torch.compile keeps solves in its graph
as an operator (``_torch_ops``); other calls are graph breaks, which ``fullgraph=True`` refuses.
"""

import inspect
from typing import Any

import torch

from tridia import _native
from tridia._frameworks import Torch, common_type, framework_of
from tridia._solve import solve_arrays


def is_transformed(*tensors: Any) -> bool:
    """This returns whether a gradient, a tangent or a transform of torch.func is in force."""
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return True
    if torch.autograd.forward_ad._current_level >= 0:
        return True
    return torch.is_grad_enabled() and any(isinstance(t, torch.Tensor) and t.requires_grad
                                           for t in tensors)


_has_exchange = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")
_TYPES = {torch.float32, torch.float64, torch.complex64, torch.complex128}


def _is_plain(t, dtype):
    """Returns whether a tensor goes to the kernel as it is."""
    return type(t) is torch.Tensor and t.dtype is dtype and not t.is_conj() and not t.is_neg()


def solve(dl: Any, d: Any, du: Any, b: Any, axis: int, periodic: bool, pivoting: bool,
          transpose: str | None, out: Any, status: Any, algorithm: str | None, threads: int,
          stream: Any) -> Any:
    """This solves as ``tridia.solve`` does, where one of the arrays is a tensor."""
    arguments = (dl, d, du, b, axis, periodic, pivoting, transpose, out, status, algorithm, threads,
                 stream)
    if torch.compiler.is_compiling():
        # Where torch.func transforms what is compiled, its rules for operators go wrong silently.
        same = all([isinstance(t, torch.Tensor) and t.dtype == b.dtype for t in (dl, d, du, b)])
        if (same and out is None and status is None and stream is None and b.dtype in _TYPES
                and torch._C._functorch.maybe_current_level() is None):
            dl, d, du, b, axis = _expand(dl, d, du, b, axis, periodic)
            return torch.ops.tridia.solve(dl, d, du, b, axis, periodic, pivoting, transpose,
                                          algorithm, threads)
        return _solve_outside_of_graphs(*arguments)
    if type(b) is torch.Tensor and b.dtype in _TYPES and stream is None and _has_exchange and all(
            [_is_plain(t, b.dtype) for t in (dl, d, du, b)]) and not is_transformed(dl, d, du, b):
        framework = Torch(b)
        return _native.solve(dl, d, du, b, axis, periodic, pivoting, transpose,
                             None if out is None else framework.describe("out", out),
                             None if status is None else framework.describe("status", status),
                             algorithm, threads, True, framework.cuda, framework.device,
                             framework.stream(None), framework.empty)
    return _solve(*arguments)


@torch.compiler.disable
def _solve_outside_of_graphs(*arguments):
    return _solve(*arguments)


def _solve(dl, d, du, b, axis, periodic, pivoting, transpose, out, status, algorithm, threads,
           stream):
    arrays = {"dl": dl, "d": d, "du": du, "b": b}
    framework = framework_of(**arrays, out=out, status=status)
    given = ordered = list(arrays.values())
    if not all(isinstance(t, torch.Tensor) and t.dtype in _TYPES and t.dtype is b.dtype
               for t in ordered):
        given = [t for t in ordered if isinstance(t, torch.Tensor)]
        dtype = getattr(torch, common_type(framework, **arrays))
        ordered = [framework.cast(framework.asarray(k, x), dtype) for k, x in arrays.items()]
    if not is_transformed(*given):
        return solve_arrays(framework, ordered, (axis, periodic, pivoting, transpose), out, status,
                            algorithm, threads, stream)
    if out is not None:
        raise ValueError("out: is not taken where a gradient or a transform of torch.func is in "
                         "force: the result is a new tensor")
    if transpose not in (None, "T", "H"):
        raise ValueError(f"transpose: must be None, \"T\" or \"H\", not {transpose!r}")
    *ordered, axis = _expand(*ordered, axis, periodic)
    options = (axis, periodic, pivoting, transpose, algorithm, threads, stream)
    return _Solve.apply(*ordered, options, None if status is None else [status])


def _expand(dl, d, du, b, axis, periodic):
    """Broadcasts tensors by views, whose gradients are then summed; axis counts from the last."""
    rank = max(t.ndim for t in (dl, d, du, b))
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise ValueError(f"axis: {axis} is out of range for {rank} axes")
    axis = axis % rank - rank
    if dl.shape == d.shape == du.shape == b.shape:
        return dl, d, du, b, axis

    def along(t):
        return t.reshape(t.shape + (1,) * (-axis - 1)) if t.ndim == 1 else t

    dl, d, du, b = (along(t) for t in (dl, d, du, b))

    def rows(t):
        return t.shape[axis] if t.ndim >= -axis else 1

    n = max(rows(b), rows(d)) if 0 not in (rows(b), rows(d)) else 0
    short = not periodic and n > 0 and rows(dl) == rows(du) == n - 1
    whole = [list(t.shape) for t in (dl, d, du, b)]
    for k in (0, 2):
        if len(whole[k]) >= -axis and short:
            whole[k][axis] = n
    try:
        shape = list(torch.broadcast_shapes(*whole))
    except RuntimeError:
        shapes = ", ".join(f"{name} {tuple(t.shape)}" for name, t in
                           zip(("dl", "d", "du", "b"), (dl, d, du, b)))
        raise ValueError(f"b: shapes do not fit each other along axis {axis}: {shapes}") from None
    off = list(shape)
    off[axis] = n - 1 if short else n
    return dl.expand(off), d.expand(shape), du.expand(off), b.expand(shape), axis


def _kernel(dl, d, du, b, options, status):
    axis, periodic, pivoting, transpose, algorithm, threads, stream = options
    framework = Torch(b)
    status = status[0] if status else None
    return solve_arrays(framework, [dl, d, du, b], (axis, periodic, pivoting, transpose), None,
                        status, algorithm, threads, stream)


def _quiet(b, axis):
    """Returns a status, so that nothing is raised where a derivative does not exist: it is NaN."""
    shape = list(b.shape)
    del shape[axis]
    return [torch.empty(shape, dtype=torch.int64, device=b.device)]


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


def _fits(product, axis, rows, first):
    """Leaves the entry out that a short off-diagonal does not have."""
    n = product.shape[axis]
    return product if rows == n else product.narrow(axis, 1 if first else 0, rows)


def _times(tangents, x, axis, periodic, transpose):
    """Returns op(dA) x, where the tangents are the three diagonals of dA."""
    dl, d, du = (None if t is None else t.conj() if transpose == "H" else t for t in tangents)
    n = x.shape[axis]
    total = torch.zeros_like(x) if d is None else d * x
    for t, by in ((dl, 1), (du, -1)):
        if t is None:
            continue
        if t.shape[axis] != n:
            pad = torch.zeros_like(x.narrow(axis, 0, 1))
            t = torch.cat([pad, t] if by > 0 else [t, pad], axis)
        if transpose is None:
            total = total + t * _shifted(x, axis, by, periodic)
        else:
            total = total + _shifted(t * x, axis, -by, periodic)
    return total


def gradients(dl: Any, d: Any, du: Any, x: Any, g: Any, options: Any, wanted: Any,
              solve: Any) -> list[Any]:
    """This returns the gradients of dl, d, du and b where x is the solution, and g its gradient.

    ``solve(dl, d, du, b, *options)`` solves, differentiably.
    """
    axis, periodic, pivoting, transpose, algorithm, threads = options
    adjoint = {None: "H" if x.is_complex() else "T", "H": None, "T": None}[transpose]
    conjugated = transpose == "T" and x.is_complex()
    # y = op(A)^-H g; torch's gradient of A is then -y x^H, moved to where op took it from.
    g = g.conj().resolve_conj() if conjugated else g
    y = solve(dl, d, du, g, axis, periodic, pivoting, adjoint, algorithm, threads)
    y = y.conj().resolve_conj() if conjugated else y
    left, right = (x, y.conj()) if transpose == "H" else (y, x.conj())
    if transpose == "T":
        left, right = right, left
    minus = -left
    grads = [None, None, None, y if wanted[3] else None]
    if wanted[0]:
        product = minus * _shifted(right, axis, 1, periodic)
        grads[0] = _fits(product, axis, dl.shape[axis], True)
    if wanted[1]:
        grads[1] = minus * right
    if wanted[2]:
        product = minus * _shifted(right, axis, -1, periodic)
        grads[2] = _fits(product, axis, du.shape[axis], False)
    return grads


class _Solve(torch.autograd.Function):
    """x = op(A)^-1 b, with A's diagonals and b of one shape (off-diagonals may be short)."""

    @staticmethod
    def forward(dl, d, du, b, options, status):
        return _kernel(dl, d, du, b, options, status)

    @staticmethod
    def setup_context(ctx, inputs, output):
        dl, d, du, b, ctx.options, _ = inputs
        ctx.save_for_backward(dl, d, du, output)
        ctx.save_for_forward(dl, d, du, output)

    @staticmethod
    def backward(ctx, g):
        dl, d, du, x = ctx.saved_tensors
        *options, _ = ctx.options

        def solve(dl, d, du, g, *options):
            return _Solve.apply(dl, d, du, g, (*options, None), _quiet(g, options[0]))

        return (*gradients(dl, d, du, x, g, options, ctx.needs_input_grad, solve), None, None)

    @staticmethod
    def jvp(ctx, dl_t, d_t, du_t, b_t, _, __):
        dl, d, du, x = ctx.saved_tensors
        axis, periodic, _, transpose = ctx.options[:4]
        change = -_times((dl_t, d_t, du_t), x, axis, periodic, transpose)
        if b_t is not None:
            change = change + b_t
        return _Solve.apply(dl, d, du, change, ctx.options, _quiet(change, axis))

    @staticmethod
    def vmap(info, in_dims, dl, d, du, b, options, status):
        def front(t, dim):
            return t.expand(info.batch_size, *t.shape) if dim is None else t.movedim(dim, 0)

        arrays = [front(t, k) for t, k in zip((dl, d, du, b), in_dims)]
        # A status of the caller's has no room for the axis that is mapped over.
        if status is not None:
            status = _quiet(arrays[3], options[0])
        return _Solve.apply(*arrays, options, status), 0


class _Linear(torch.autograd.Function):
    """A linear map and its adjoint, each a Python object with ``run`` and ``batched``."""

    @staticmethod
    def forward(f, forward_map, adjoint_map):
        return forward_map.run(f)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.maps, ctx.adjoint = inputs

    @staticmethod
    def backward(ctx, g):
        return _Linear.apply(g, ctx.adjoint, ctx.maps), None, None

    @staticmethod
    def jvp(ctx, f_t, _, __):
        return _Linear.apply(f_t, ctx.maps, ctx.adjoint)

    @staticmethod
    def vmap(info, in_dims, f, forward_map, adjoint_map):
        f = f.movedim(in_dims[0], 0)
        n = info.batch_size
        return _Linear.apply(f, forward_map.batched(n), adjoint_map.batched(n)), 0


for _function in (_Solve, _Linear):
    # torch asks for it in every call, and inspect takes 20 us to find it.
    _function.forward.__signature__ = inspect.signature(_function.forward)


class _FieldMap:
    """One direction of a scheme along an axis of fields of one shape, whatever their strides."""

    def __init__(self, make, shape, adjoint):
        self.make, self.shape, self.adjoint = make, shape, adjoint

    def run(self, f):
        f = f.resolve_conj().resolve_neg()
        if self.adjoint:
            op = self.make(self.shape, None, tuple(f.stride())).T
        else:
            op = self.make(self.shape, tuple(f.stride()), None)
        return op._apply(Torch(f), f, None, None, None, None)

    def batched(self, n):
        return _FieldMap(self.make, (n, *self.shape), self.adjoint)


@torch.compiler.disable
def apply_field(f: Any, make: Any) -> Any:
    """This applies the operator that ``make(shape, strides of f, strides of out)`` returns."""
    return _Linear.apply(f, _FieldMap(make, tuple(f.shape), False),
                         _FieldMap(make, tuple(f.shape), True))


class _OperatorMap:
    """An operator, whose arrays have strides of its own."""

    def __init__(self, op):
        self.op = op

    def run(self, f):
        strides = self.op._in_strides()
        if strides is not None and tuple(f.stride()) != strides:
            f = torch.empty_strided(f.shape, strides, dtype=f.dtype, device=f.device).copy_(f)
        elif strides is None:
            f = f.contiguous()
        return self.op._apply(Torch(f), f, None, None, None, None)

    def batched(self, n):
        raise NotImplementedError("vmap: an Operator is for one shape: use tridia.derivative, or "
                                  "an Operator with more fields")


@torch.compiler.disable
def apply_operator(op: Any, f: Any) -> Any:
    """This applies an operator differentiably."""
    return _Linear.apply(f, _OperatorMap(op), _OperatorMap(op.T))


from tridia import _torch_ops  # noqa: E402, F401  it needs what is above
