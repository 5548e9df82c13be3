# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The operators torch.ops.tridia.solve and solve_backward, which torch.compile and torch.export keep
in a graph. Their tensors have one rank; an extent of 1 is broadcast."""

from typing import Any

import torch

from tridia import _torch, _torch_products

_library = torch.library.Library("tridia", "DEF")
_OPTIONS = ("int axis, bool periodic, bool pivoting, str? transpose, str? algorithm, int threads")
_library.define(f"solve(Tensor dl, Tensor d, Tensor du, Tensor b, {_OPTIONS}) -> Tensor")
# An operator returns tensors alone: those of gradients that are not wanted have no elements.
_library.define("solve_backward(Tensor dl, Tensor d, Tensor du, Tensor x, Tensor g, "
                f"bool[] wanted, {_OPTIONS}) -> (Tensor, Tensor, Tensor, Tensor)")


def _run(dl, d, du, b, *options):
    return _torch._kernel(dl, d, du, b, (*options, None), None)


def _run_backward(dl, d, du, x, g, wanted, *options):
    *others, of_b = _torch.backward_kernel(dl, d, du, x, g, options, wanted)
    return (of_b, *(x.new_empty(0) if t is None else t for t in others))


for _key in ("CPU", "CUDA"):
    _library.impl("solve", _run, _key)
    _library.impl("solve_backward", _run_backward, _key)


@torch.library.register_fake("tridia::solve", lib=_library)
def _fake(dl: Any, d: Any, du: Any, b: Any, *options: Any) -> Any:
    shape = _torch_products.solution_shape(dl, d, du, b, *options[:2])
    return torch.empty(shape, dtype=b.dtype, device=b.device)


@torch.library.register_fake("tridia::solve_backward", lib=_library)
def _fake_backward(dl: Any, d: Any, du: Any, x: Any, g: Any, wanted: Any, *options: Any) -> Any:
    return (torch.empty_like(x), *(torch.empty_like(t) if w else x.new_empty(0)
                                   for t, w in zip((dl, d, du), wanted)))


def _save(ctx, inputs, output):
    dl, d, du, b, *ctx.options = inputs
    ctx.b_shape = b.shape
    ctx.save_for_backward(dl, d, du, output)


def _backward(ctx, g):
    wanted = list(ctx.needs_input_grad[:3])
    of_b, *others = torch.ops.tridia.solve_backward(*ctx.saved_tensors, g, wanted, *ctx.options)
    grads = [t if w else None for t, w in zip(others, wanted)]
    of_b = of_b.sum_to_size(ctx.b_shape) if ctx.needs_input_grad[3] else None
    return (*grads, of_b, *(None for _ in ctx.options))


def _save_of_backward(ctx, inputs, output):
    dl, d, du, x, _, ctx.wanted, *ctx.options = inputs
    ctx.save_for_backward(dl, d, du, x, output[0])


def _backward_of_backward(ctx, of_b, *others):
    matrix = [t if w else None for t, w in zip(others, ctx.wanted)]
    grads = _torch_products.backward_of_backward(ctx.saved_tensors, tuple(ctx.options), (*matrix, of_b),
                                        ctx.needs_input_grad, torch.ops.tridia.solve)
    return (*grads, None, *(None for _ in ctx.options))


def _batched(info, in_dims, dl, d, du, b, *options):
    arrays = [t[None] if k is None else t.movedim(k, 0)
              for t, k in zip((dl, d, du, b), in_dims)]
    return torch.ops.tridia.solve(*arrays, *options), 0


def _batched_backward(info, in_dims, dl, d, du, x, g, wanted, *options):
    arrays = _torch.batched_backward(info, in_dims, (dl, d, du, x, g))
    found = torch.ops.tridia.solve_backward(*arrays, wanted, *options)
    return found, tuple(0 if w else None for w in (True, *wanted))


torch.library.register_autograd("tridia::solve", _backward, setup_context=_save, lib=_library)
torch.library.register_autograd("tridia::solve_backward", _backward_of_backward,
                                setup_context=_save_of_backward, lib=_library)
torch.library.register_vmap("tridia::solve", _batched, lib=_library)
torch.library.register_vmap("tridia::solve_backward", _batched_backward, lib=_library)
