# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Arrays of PyTorch and CuPy on a GPU: the order of work, addresses, memory, plans that are dropped.

That of JAX is in test_jax_gpu.py, which has no streams that a caller could choose.
"""

import gc

import numpy as np
import pytest

from gpu_support import DELAY_MS, framework
import tridia
from tridia import _native
from tridia._frameworks import framework_of

FRAMEWORKS = ("torch", "cupy")
SHAPE = (512, 256)
RUNS, STREAMS = 200, 8


@pytest.fixture(params=FRAMEWORKS)
def gpu(request):
    return framework(request.param)


def sums(gpu, solve, inside=True):
    """Enqueues, each time on one stream: a delay, the right-hand side, a solve, the sum of x.

    ``solve(b, streams, k)`` solves, `inside` the framework's context of the stream or not. Returns
    what all runs should give, and what they gave.
    """
    streams = [gpu.stream() for _ in range(STREAMS)]
    tridia.solve(-1.0, 4.0, -1.0, gpu.full(SHAPE, 1.0))  # makes the plan
    gpu.synchronize()
    found = []
    for k in range(RUNS):
        stream = streams[k % STREAMS]
        with gpu.on(stream):
            b = gpu.full(SHAPE, np.nan)
            gpu.delay(DELAY_MS)
            gpu.fill(b, k + 1.0)
            x = solve(b, streams, k) if inside else None
        x = x if inside else solve(b, streams, k)
        with gpu.on(stream):
            found.append((x.sum(), x, b))
    gpu.synchronize()
    one = tridia.solve(-1.0, 4.0, -1.0, np.ones(SHAPE)).sum()
    return one * np.arange(1, RUNS + 1), np.array([float(total) for total, _, _ in found])


@pytest.mark.parametrize("given", [False, True])
def test_work_is_ordered_by_the_stream(gpu, given):
    def solve(b, streams, k):
        stream = {"stream": streams[k % STREAMS]} if given else {}
        return tridia.solve(-1.0, 4.0, -1.0, b, **stream)

    wanted, found = sums(gpu, solve, inside=not given)
    right = np.isclose(found, wanted, rtol=1e-12)
    assert right.sum() == RUNS, f"{right.sum()} of {RUNS} are right"


def test_what_is_converted_is_ordered_by_a_given_stream(gpu):
    d = gpu.full(SHAPE[1:], 4.0) + 0j  # the right-hand side becomes complex on the stream
    gpu.synchronize()

    def solve(b, streams, k):
        return tridia.solve(-1.0, d, -1.0, b, stream=streams[k % STREAMS]).real

    wanted, found = sums(gpu, solve, inside=False)
    right = np.isclose(found, wanted, rtol=1e-12)
    assert right.sum() == RUNS, f"{right.sum()} of {RUNS} are right"


def test_a_wrong_stream_is_caught(gpu):
    """The test above would notice work on another stream, one that has nothing to wait for."""
    idle = [gpu.stream() for _ in range(STREAMS)]

    def solve(b, streams, k):
        return tridia.solve(-1.0, 4.0, -1.0, b, stream=idle[k % STREAMS])

    wanted, found = sums(gpu, solve)
    assert not np.isclose(found, wanted, rtol=1e-12).all()


def test_gradients_are_ordered_by_the_stream():
    """The backward pass runs on the stream of its forward pass, as PyTorch has it."""
    gpu = framework("torch")
    torch, streams = gpu.torch, [gpu.stream() for _ in range(STREAMS)]
    found = []
    for k in range(RUNS):
        stream = streams[k % STREAMS]
        with gpu.on(stream):
            b, d = gpu.full(SHAPE, np.nan), gpu.full(SHAPE[1:], 4.0).requires_grad_()
            gpu.delay(DELAY_MS)
            b.fill_(k + 1.0)
            x = tridia.solve(-1.0, d, -1.0, b)
            found.append((torch.autograd.grad(x.sum(), d)[0].sum(), b))
    gpu.synchronize()
    d = torch.full(SHAPE[1:], 4.0, dtype=torch.float64, requires_grad=True)
    x = tridia.solve(-1.0, d, -1.0, torch.ones(SHAPE, dtype=torch.float64))
    one = float(torch.autograd.grad(x.sum(), d)[0].sum())
    right = np.isclose([float(total) for total, _ in found], one * np.arange(1, RUNS + 1),
                       rtol=1e-11)
    assert right.sum() == RUNS, f"{right.sum()} of {RUNS} are right"


def views(gpu):
    """Returns arrays that lie in others: strided, reversed in order, short, transposed, shared."""
    a = gpu.full((6, 8, 4), 1.0)
    return [a, a[::2], a[:, 1:], a[:, ::3, :2], gpu.transposed(a), a[1, :, 2], a[0, 0]]


def test_addresses_are_those_of_the_inputs(gpu):
    for view in views(gpu):
        described = framework_of(a=view).describe("a", view)
        assert _native.address(described) == gpu.address(view)


@pytest.mark.parametrize("kind", ["plain", "shared", "short", "strided", "transposed"])
def test_peak_memory_is_out_and_workspace(gpu, kind):
    b = gpu.full((1024, 512), 1.0)
    off, d = gpu.full((1024, 512), -1.0), gpu.full((1024, 512), 4.0)
    options, rows = {}, 512
    if kind == "shared":
        off, d = off[0], d[0]
    elif kind == "short":
        off = off[:, 1:]
    elif kind == "strided":
        off, d, b, rows = off[:, ::2], d[:, ::2], b[:, ::2], 256
    elif kind == "transposed":
        off, d, b, options, rows = *(gpu.transposed(a) for a in (off, d, b)), {"axis": 0}, 512
    of = framework_of(b=b)
    strides = {"b": of.strides(b)} if kind == "shared" else {
        name: of.strides(a) for name, a in (("dl", off), ("d", d), ("du", off), ("b", b))}
    plan = tridia.Plan(b.shape, "f8", coefficients="shared" if kind == "shared" else "per_system",
                       short_off_diagonals=kind == "short", strides=strides, device="cuda",
                       **options)
    tridia.solve(off, d, off, b, **options)
    gpu.synchronize()
    taken, x = gpu.allocated_by(lambda: tridia.solve(off, d, off, b, **options))
    # Pools round sizes up to 512 bytes.
    assert x.nbytes <= taken <= x.nbytes + plan.workspace_bytes + 1024
    exact = tridia.solve(-1.0, 4.0, -1.0, np.ones(rows))
    found = x.T if kind == "transposed" else x
    np.testing.assert_allclose(found[3].tolist(), exact, rtol=1e-12)


def test_peak_memory_of_a_backward_pass():
    gpu = framework("torch")
    torch = gpu.torch
    arrays = [gpu.full((1024, 512), v).requires_grad_() for v in (-1.0, 4.0, -1.0, 1.0)]
    x, g = tridia.solve(*arrays), gpu.full((1024, 512), 1.0)
    torch.autograd.grad(x, arrays, g, retain_graph=True)
    taken, grads = gpu.allocated_by(lambda: torch.autograd.grad(x, arrays, g))
    returned = sum(t.nbytes for t in grads)
    assert returned == 4 * x.nbytes and returned <= taken <= returned + 64 * 1024 + 4096


def solve_many(gpu, off, d, count):
    """Solves systems of `count` lengths, a plan each; returns the sums of x."""
    return [tridia.solve(off, d, off, gpu.full((3, n), 1.0)).sum() for n in range(1, count + 1)]


def test_plans_that_are_dropped_in_flight(gpu):
    """Plans of the one-call form own no memory of the GPU: dropping one neither waits nor harms."""
    count, stream = 150, gpu.stream()
    with gpu.on(stream):
        # A number would be copied to the GPU, which waits.
        off, d = gpu.full((1,), -1.0), gpu.full((1,), 4.0)
        solve_many(gpu, off, d, count)  # loads the kernels
        gpu.synchronize()
        _native.clear_plans()
        free = gpu.free_memory()
        gpu.delay(2000)
        found = solve_many(gpu, off, d, count)
        has_waited = gpu.is_done(stream)
    assert _native.cached_plans() == 128
    assert not has_waited, "making or dropping a plan has waited for the GPU"
    gpu.synchronize()
    exact = [tridia.solve(-1.0, 4.0, -1.0, np.ones((3, n))).sum() for n in range(1, count + 1)]
    np.testing.assert_allclose([float(s) for s in found], exact, rtol=1e-12)
    assert free - gpu.free_memory() <= 4 << 20  # of the framework's own pool


def test_a_plan_that_owns_memory_is_dropped_in_flight(gpu):
    """Rows of a matrix of constants lie on the GPU: freeing them waits for what reads them."""
    n = 3000
    matrix = tridia.NearToeplitz((-1.0, 4.0, -1.0), head=[(0.0, 2.0, -1.0)])
    exact = matrix.solve(np.ones((4, n)))
    stream, b = gpu.stream(), gpu.full((4, n), 1.0)
    gpu.synchronize()
    for _ in range(5):
        with gpu.on(stream):
            plan = tridia.Plan((4, n), "f8", coefficients=matrix, device="cuda")
            gpu.delay(DELAY_MS)
            x = plan.execute_constant(b)
            del plan
            gc.collect()
        others = [gpu.full((n,), np.nan) for _ in range(100)]  # may lie where the plan's rows lay
        gpu.synchronize()
        np.testing.assert_allclose(x.tolist(), exact, rtol=1e-12)
        del others
