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
from tridia._torch_products import (adjoint_solve, adjoint_times, backward_of_backward, is_short,
                                    products, solution_shape, times)


def is_transformed(*tensors: Any) -> bool:
    """This returns whether a gradient, a tangent or a transform of torch.func is in force."""
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return True
    if torch.autograd.forward_ad._current_level >= 0:
        return True
    return torch.is_grad_enabled() and any(isinstance(t, torch.Tensor) and t.requires_grad
                                           for t in tensors)


_TYPES = {torch.float32, torch.float64, torch.complex64, torch.complex128}
_are_transforms_active = torch._C._are_functorch_transforms_active
_is_compiling = torch.compiler.is_compiling


def solve(dl: Any, d: Any, du: Any, b: Any, axis: int, periodic: bool, pivoting: bool,
          transpose: str | None, out: Any, status: Any, algorithm: str | None, threads: int,
          stream: Any) -> Any:
    """This solves as ``tridia.solve`` does, where one of the arrays is a tensor."""
    arguments = (dl, d, du, b, axis, periodic, pivoting, transpose, out, status, algorithm, threads,
                 stream)
    if _is_compiling():
        # Where torch.func transforms what is compiled, its rules for operators go wrong silently.
        same = all([isinstance(t, torch.Tensor) and t.dtype == b.dtype for t in (dl, d, du, b)])
        if (same and out is None and status is None and stream is None and b.dtype in _TYPES
                and torch._C._functorch.maybe_current_level() is None):
            dl, d, du, b, axis = _align(dl, d, du, b, axis, periodic)
            return torch.ops.tridia.solve(dl, d, du, b, axis, periodic, pivoting, transpose,
                                          algorithm, threads)
        return _solve_outside_of_graphs(*arguments)
    if stream is None:
        x = _native.solve(dl, d, du, b, axis, periodic, pivoting, transpose, out, status, algorithm,
                          threads, False, -1, None, None)
        if x is not NotImplemented:
            return x
    return _solve(*arguments)


@torch.compiler.disable
def _solve_outside_of_graphs(*arguments):
    return _solve(*arguments)


def _solve(dl, d, du, b, axis, periodic, pivoting, transpose, out, status, algorithm, threads,
           stream):
    given = ordered = [dl, d, du, b]
    framework = None
    if not (out is None and status is None and _are_alike(*ordered)):
        arrays = {"dl": dl, "d": d, "du": du, "b": b}
        framework = framework_of(**arrays, out=out, status=status)
        given = [t for t in ordered if isinstance(t, torch.Tensor)]
        if not _are_alike(*ordered):
            dtype = getattr(torch, common_type(framework, **arrays))
            with framework.current(stream):
                ordered = [framework.cast(framework.asarray(k, x), dtype)
                           for k, x in arrays.items()]
    if not is_transformed(*given):
        return solve_arrays(framework or Torch(b), ordered, (axis, periodic, pivoting, transpose),
                            out, status, algorithm, threads, stream)
    if out is not None:
        raise ValueError("out: is not taken where a gradient or a transform of torch.func is in "
                         "force: the result is a new tensor")
    if transpose not in (None, "T", "H"):
        raise ValueError(f"transpose: must be None, \"T\" or \"H\", not {transpose!r}")
    dl, d, du, b, axis = _align(*ordered, axis, periodic)
    options = (axis, periodic, pivoting, transpose, algorithm, threads, stream)
    solving = _Solve if _are_transforms_active() else _SolveEagerly
    return solving.apply(dl, d, du, b, options, None if status is None else [status])


def _are_alike(dl, d, du, b):
    """Returns whether all are tensors of one of the four types."""
    if not isinstance(b, torch.Tensor):
        return False
    dtype = b.dtype
    return dtype in _TYPES and all([isinstance(t, torch.Tensor) and t.dtype is dtype
                                    for t in (dl, d, du)])


def _align(dl, d, du, b, axis, periodic):
    """Gives tensors one rank by views: an extent of 1 is broadcast; axis counts from the last."""
    same = dl.shape == d.shape == du.shape == b.shape
    rank = b.ndim if same else max(t.ndim for t in (dl, d, du, b))
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise ValueError(f"axis: {axis} is out of range for {rank} axes")
    axis = axis % rank - rank
    if same:
        return dl, d, du, b, axis

    def aligned(t):
        after = -axis - 1 if t.ndim == 1 else 0
        if t.ndim + after == rank and after == 0:
            return t
        return t.reshape((1,) * (rank - after - t.ndim) + t.shape + (1,) * after)

    found = [aligned(t) for t in (dl, d, du, b)]
    try:
        solution_shape(*found, axis, periodic)
    except RuntimeError:
        shapes = ", ".join(f"{name} {tuple(t.shape)}" for name, t in
                           zip(("dl", "d", "du", "b"), (dl, d, du, b)))
        raise ValueError(f"b: shapes do not fit each other along axis {axis}: {shapes}") from None
    return *found, axis


def _kernel(dl, d, du, b, options, status):
    axis, periodic, pivoting, transpose, algorithm, threads, stream = options
    status = status[0] if status else None
    if stream is None:
        x = _native.solve(dl, d, du, b, axis, periodic, pivoting, transpose, None, status,
                          algorithm, threads, False, -1, None, None)
        if x is not NotImplemented:
            return x
    return solve_arrays(Torch(b), [dl, d, du, b], (axis, periodic, pivoting, transpose), None,
                        status, algorithm, threads, stream)


def _quiet(b, axis):
    """Returns a status, so that nothing is raised where a derivative does not exist: it is NaN."""
    return _quiet_for(list(b.shape), b, axis)


def _quiet_for(shape, b, axis):
    del shape[axis]
    return [torch.empty(shape, dtype=torch.int64, device=b.device)]


def backward_kernel(dl: Any, d: Any, du: Any, x: Any, g: Any, options: Any,
                    wanted: Any) -> Any:
    """This returns the gradients of dl, d and du, None for one that is not wanted, and that of b, of
    x's shape."""
    found = _plain_backward(dl, d, du, x, g, options, wanted)
    if found is not NotImplemented:
        return found
    framework = Torch(x)
    like = [t if w else None for t, w in zip((dl, d, du), wanted)]
    to = [None if t is None else torch.empty_like(t) for t in (*like, x)]
    arrays = [framework.describe(name, t) for name, t in
              zip(("dl", "d", "du", "x", "g"), (dl, d, du, x, g))]
    targets = [t if t is None else framework.describe("out", t) for t in to]
    axis, periodic, pivoting, transpose, algorithm, threads = options
    _native.backward(*arrays, axis, periodic, pivoting, transpose, True, *targets, algorithm,
                     threads, framework.cuda, framework.device, framework.stream(None),
                     framework.allocator())
    return to


def _plain_backward(dl, d, du, x, g, options, wanted):
    """Does what ``backward_kernel`` does, or returns NotImplemented where tensors have to be looked
    at, and where a transform is in force."""
    axis, periodic, pivoting, transpose, algorithm, threads = options
    to_dl, to_d, to_du = wanted
    return _native.backward(dl, d, du, x, g, axis, periodic, pivoting, transpose, True, to_dl, to_d,
                            to_du, True, algorithm, threads, False, -1, None, None)


def compact_gradients(grads: Any) -> tuple:
    """This returns what ``backward_kernel`` does as outputs of an operator: tensors alone, that of b
    first."""
    return grads[3], *(t for t in grads[:3] if t is not None)


def _solve_again(dl, d, du, b, *options):
    """Solves differentiably, where x has the shape of b."""
    return _Solve.apply(dl, d, du, b, (*options, None), _quiet(b, options[0]))


def spread(grads: Any, wanted: Any) -> list[Any]:
    """This returns gradients in the order of dl, d, du: None for one that is not wanted."""
    grads = iter(grads)
    return [next(grads) if w else None for w in wanted[:3]]


def batched_backward(info: Any, in_dims: Any, tensors: Any) -> Any:
    """This returns dl, d, du, x and g of a backward pass with the axis that is mapped over first."""
    dl, d, du, x, g = (t.expand(info.batch_size, *t.shape) if k is None else t.movedim(k, 0)
                       for t, k in zip(tensors, in_dims))
    # A view by expansion costs nothing, but the elements of a solution are distinct.
    return dl, d, du, x.contiguous() if in_dims[3] is None else x, g


class _Solve(torch.autograd.Function):
    """x = op(A)^-1 b, with A's diagonals and b of one rank: an extent of 1 is broadcast."""

    @staticmethod
    def forward(dl, d, du, b, options, status):
        return _kernel(dl, d, du, b, options, status)

    @staticmethod
    def setup_context(ctx, inputs, output):
        dl, d, du, b, ctx.options, _ = inputs
        ctx.b_shape = b.shape
        ctx.save_for_backward(dl, d, du, output)
        ctx.save_for_forward(dl, d, du, output)

    @staticmethod
    def backward(ctx, g):
        needed = ctx.needs_input_grad
        inputs = (*ctx.saved_tensors, g, ctx.options[:6], needed[:3])
        grads = _plain_backward(*inputs)
        if grads is NotImplemented:
            if is_transformed(*inputs[:5]):
                of_b, *others = _Backward.apply(*inputs)
                grads = (*spread(others, needed), of_b)
            else:
                grads = backward_kernel(*inputs)
        of_dl, of_d, of_du, of_b = grads
        if not needed[3]:
            of_b = None
        elif of_b.shape != ctx.b_shape:
            of_b = of_b.sum_to_size(ctx.b_shape)
        return of_dl, of_d, of_du, of_b, None, None

    @staticmethod
    def jvp(ctx, dl_t, d_t, du_t, b_t, _, __):
        dl, d, du, x = ctx.saved_tensors
        *options, _ = ctx.options
        matrix = dl_t, d_t, du_t
        if all(t is None for t in matrix):
            change = b_t.expand(x.shape)
        else:
            short = is_short(dl, du, x.shape[options[0]], options[0], options[1])
            change = -times(matrix, x, options, short)
            change = change if b_t is None else change + b_t
        return _Solve.apply(dl, d, du, change, ctx.options, _quiet(x, options[0]))

    @staticmethod
    def vmap(info, in_dims, dl, d, du, b, options, status):
        # One matrix for all stays one: an extent of 1 is broadcast.
        arrays = [t[None] if k is None else t.movedim(k, 0)
                  for t, k in zip((dl, d, du, b), in_dims)]
        # A status of the caller's has no room for the axis that is mapped over.
        if status is not None:
            status = _quiet_for(solution_shape(*arrays, *options[:2]), arrays[3], options[0])
        return _Solve.apply(*arrays, options, status), 0


class _SolveEagerly(torch.autograd.Function):
    """_Solve where no transform of torch.func is in force. Its context is set up in the forward pass:
    PyTorch takes a third of the time to run such a function."""

    @staticmethod
    def forward(ctx, dl, d, du, b, options, status):
        x = _kernel(dl, d, du, b, options, status)
        ctx.options, ctx.b_shape = options, b.shape
        ctx.save_for_backward(dl, d, du, x)
        if torch.autograd.forward_ad._current_level >= 0:
            ctx.save_for_forward(dl, d, du, x)
        return x

    backward = _Solve.backward
    jvp = _Solve.jvp


class _Backward(torch.autograd.Function):
    """The gradients of a solve, first that of b, in the shape of x: one call of the library.

    The gradient of a diagonal has its shape, and is summed where that is 1. What is differentiated
    again is composed of solves and products.
    """

    @staticmethod
    def forward(dl, d, du, x, g, options, wanted):
        return compact_gradients(backward_kernel(dl, d, du, x, g, options, wanted))

    @staticmethod
    def setup_context(ctx, inputs, output):
        dl, d, du, x, _, ctx.options, ctx.wanted = inputs
        ctx.save_for_backward(dl, d, du, x, output[0])
        ctx.save_for_forward(dl, d, du, x, output[0])

    @staticmethod
    def backward(ctx, of_b, *others):
        cotangents = (*spread(others, ctx.wanted), of_b)
        return (*backward_of_backward(ctx.saved_tensors, ctx.options, cotangents,
                                      ctx.needs_input_grad, _solve_again), None, None)

    @staticmethod
    def jvp(ctx, dl_t, d_t, du_t, x_t, g_t, _, __):
        dl, d, du, x, y = ctx.saved_tensors
        axis, periodic = ctx.options[:2]
        short = is_short(dl, du, x.shape[axis], axis, periodic)
        change = torch.zeros_like(y) if g_t is None else g_t
        if not (dl_t is None and d_t is None and du_t is None):
            change = change - adjoint_times((dl_t, d_t, du_t), y, ctx.options, short)
        y_t = adjoint_solve(dl, d, du, change, ctx.options, _solve_again)
        shapes = [t.shape if w else None for t, w in zip((dl, d, du), ctx.wanted)]
        found = products(y_t, x, ctx.options, shapes, short)
        if x_t is not None:
            more = products(y, x_t, ctx.options, shapes, short)
            found = [a if a is None else a + b for a, b in zip(found, more)]
        return (y_t, *(t for t in found if t is not None))

    @staticmethod
    def vmap(info, in_dims, dl, d, du, x, g, options, wanted):
        found = _Backward.apply(*batched_backward(info, in_dims, (dl, d, du, x, g)), options,
                                wanted)
        return found, (0,) * len(found)


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


for _function in (_Solve, _Backward, _Linear):
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
