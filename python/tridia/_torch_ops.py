# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The operator torch.ops.tridia.solve, which torch.compile and torch.export keep in a graph."""

from typing import Any

import torch

from tridia import _torch

_library = torch.library.Library("tridia", "DEF")
_library.define("solve(Tensor dl, Tensor d, Tensor du, Tensor b, int axis, bool periodic, "
                "bool pivoting, str? transpose, str? algorithm, int threads) -> Tensor")


def _run(dl, d, du, b, *options):
    return _torch._kernel(dl, d, du, b, (*options, None), None)


for _key in ("CPU", "CUDA"):
    _library.impl("solve", _run, _key)


@torch.library.register_fake("tridia::solve", lib=_library)
def _fake(dl: Any, d: Any, du: Any, b: Any, *options: Any) -> Any:
    return torch.empty(b.shape, dtype=b.dtype, device=b.device)


def _save(ctx, inputs, output):
    dl, d, du, b, *ctx.options = inputs
    ctx.save_for_backward(dl, d, du, output)


def _backward(ctx, g):
    dl, d, du, x = ctx.saved_tensors
    grads = _torch.gradients(dl, d, du, x, g, tuple(ctx.options), ctx.needs_input_grad,
                             torch.ops.tridia.solve)
    return (*grads, *(None for _ in ctx.options))


def _batched(info, in_dims, dl, d, du, b, *options):
    arrays = [t.expand(info.batch_size, *t.shape) if k is None else t.movedim(k, 0)
              for t, k in zip((dl, d, du, b), in_dims)]
    return torch.ops.tridia.solve(*arrays, *options), 0


torch.library.register_autograd("tridia::solve", _backward, setup_context=_save, lib=_library)
torch.library.register_vmap("tridia::solve", _batched, lib=_library)
