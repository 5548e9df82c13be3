# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Nothing is copied, nothing is leaked, and arrays of other libraries are read where they are."""

import gc
import resource
import sys
import threading
import time
import tracemalloc
import types

import numpy as np
import pytest

import tridia
from tridia import _native


class Dlpack:
    """An array that has nothing but DLPack."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **arguments):
        return self.a.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


def test_addresses_are_those_of_the_inputs():
    a = np.zeros((6, 8, 4))
    views = [a, a[::2], a[:, ::-1], a.transpose(2, 0, 1), a[:, 1:], a[1, :, 2],
             np.broadcast_to(a[0, 0], (6, 8, 4)), a[:, :0]]
    for view in views:
        assert _native.address(view) == view.__array_interface__["data"][0]
        if view.flags.writeable:
            assert _native.address(Dlpack(view)) == view.__array_interface__["data"][0]


def test_peak_memory_is_out_and_workspace():
    b = np.ones((2000, 64))
    dl, d, du = (np.full_like(b, v)[:, ::-1] for v in (-1.0, 4.0, -1.0))
    tridia.solve(dl, d, du, b)
    tracemalloc.start()
    x = tridia.solve(dl, d, du, b)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= x.nbytes + 20_000


def test_dlpack_objects():
    b = np.ones((3, 5))
    d = np.full((3, 5), 4.0)
    x = tridia.solve(Dlpack(-b), Dlpack(d), Dlpack(-b), Dlpack(b))
    np.testing.assert_array_equal(x, tridia.solve(-b, d, -b, b))


def test_memory_does_not_grow():
    n = 16
    arrays = -np.ones(n), np.full(n, 4.0), -np.ones(n), np.ones(n)
    zero, gradients = np.zeros(n), [np.empty(n) for _ in range(4)]
    plan = tridia.Plan((n,), "f8")

    def calls(count):
        for _ in range(count):
            tridia.solve(*arrays)
            plan.execute(*arrays)
            tridia.derivative(arrays[3])
            _native.backward(*arrays, arrays[3], -1, False, True, None, False, *gradients, None, 0,
                             False, -1, 0, None)
            try:
                tridia.solve(*arrays[:3], "bad")
            except TypeError:
                pass
            try:
                tridia.solve(zero, zero, zero, arrays[3])
            except tridia.SingularError:
                pass

    calls(1000)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(10_000)
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before <= 1024  # KiB


def test_plans_are_kept_and_dropped():
    _native.clear_plans()
    b = np.ones((4, 6))
    for _ in range(3):
        tridia.solve(-1.0, 4.0, -1.0, b)
    assert _native.cached_plans() == 1
    for n in range(1, 300):
        tridia.solve(-1.0, 4.0, -1.0, np.ones(n))
    assert _native.cached_plans() == 128


def test_threads_make_and_drop_plans_together():
    """None waits for another one for ever: Python's lock is not taken within that of the plans."""
    _native.clear_plans()
    arrays = [np.full(300, v) for v in (-1.0, 4.0, -1.0, 1.0)]
    wanted = [tridia.solve(*(a[:n] for a in arrays))[n // 2] for n in range(1, 301)]
    found = {}

    def work(k):
        lengths = [*range(k, 301), *range(1, k)]
        found[k] = {n: tridia.solve(*(a[:n] for a in arrays))[n // 2] for n in lengths}

    threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in (1, 1, 80, 160)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
        assert not t.is_alive()
    assert _native.cached_plans() == 128
    for values in found.values():
        assert [values[n] for n in range(1, 301)] == wanted


def test_the_gil_is_released():
    n = 1 << 22
    arrays = [np.full(n, v) for v in (-1.0, 4.0, -1.0, 1.0)]
    out, done = np.empty(n), threading.Event()

    def work():
        tridia.solve(*arrays, out=out, threads=1)
        done.set()

    worker = threading.Thread(target=work)
    turns = 0
    worker.start()
    while not done.is_set():
        turns += 1
        time.sleep(0)
    worker.join()
    assert turns > 100  # of this thread, while the other one solved


def test_a_freed_array_is_kept_alive():
    b = np.ones((100, 100))
    d = np.full((100, 100), 4.0)
    x = tridia.solve(d * 0, d, d * 0, (b + 1)[::-1])
    assert (x == 0.5).all()


@pytest.mark.parametrize("shape", [(0,), (0, 4), (4, 0), (3, 0, 2)])
def test_arrays_without_elements(shape):
    assert tridia.solve(1.0, 4.0, 1.0, np.ones(shape)).shape == shape
    assert tridia.factor(np.ones(shape), np.ones(shape), np.ones(shape)).solve(
        np.ones(shape)).shape == shape


class OnGpu:
    """An array that says that it lies on a GPU, which is not asked."""

    def __init__(self, a, stream=None):
        self.a = a
        self.__cuda_array_interface__ = {**a.__array_interface__, "version": 3, "stream": stream}


class Memory:
    """The attribute `data` of CuPy's arrays."""

    def __init__(self, ptr, device_id):
        self.ptr, self.device_id = ptr, device_id


class CupyLike(bytearray):
    """An array with the attributes of CuPy's, which says that it lies on a GPU. It is a buffer, as
    those are, which cannot be read."""

    def __init__(self, a, device=0):
        super().__init__(b"")
        self.data = Memory(a.__array_interface__["data"][0], device)
        self.dtype, self.itemsize = a.dtype, a.itemsize
        self.shape, self.strides = a.shape, a.strides


def test_attributes_of_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(ndarray=CupyLike))
    for dtype in ("float32", "float64", "complex64", "complex128"):
        a = np.zeros((4, 6), dtype)[:, ::-2]
        assert _native.address(CupyLike(a)) == a.__array_interface__["data"][0]
        found = _native.broadcast(*[CupyLike(a)] * 3, None, -1, False)
        assert (found["shape"], found["d"]) == ([4, 3], [6, -2])
    plan = tridia.Plan((8,), "f8")
    # What cannot be solved is refused by its place, its type, its strides.
    good, bad = np.ones(8), CupyLike(np.ones(8), 3)
    with pytest.raises(ValueError, match="d: lies on cuda:3, but the work is for the CPU"):
        plan._native.execute(good, bad, good, good, None, None, None, 0, None)
    for dtype in ("float16", ">f8"):
        bad = CupyLike(np.ones(8, dtype))
        with pytest.raises(TypeError, match=f"d: is of {dtype}, but the plan is of float64"):
            plan._native.execute(good, bad, good, good, None, None, None, 0, None)
    bad = CupyLike(np.ones((8, 3), "f4")[:, 0])
    bad.itemsize, bad.dtype = 8, np.dtype("f8")
    with pytest.raises(ValueError, match="d: its stride of 12 bytes is no multiple"):
        plan._native.execute(good, bad, good, good, None, None, None, 0, None)


def test_what_is_given_for_numpy_is_read_as_before():
    b, plan = np.ones((3, 8)), tridia.Plan((3, 8), "f8")
    wanted = tridia.solve(-1.0, 4.0, -1.0, b)
    minus, d, out = np.full((3, 8), -1.0), np.full((3, 8), 4.0), np.empty((3, 8))
    workspace = bytearray(plan.workspace_bytes)
    assert plan.execute(minus, d, minus, b, out=out, workspace=workspace) is out
    np.testing.assert_array_equal(out, wanted)
    for kind in (np.matrix, np.memmap):  # classes that are derived from ndarray
        np.testing.assert_array_equal(plan.execute(minus, d.view(kind), minus, b.view(kind)), wanted)


def test_cuda_array_interface():
    from tridia._frameworks import framework_of
    a = np.zeros((4, 6))[:, ::-2]
    arrays = {name: OnGpu(a, 7) for name in ("b", "d")}
    framework = framework_of(**arrays)
    described = framework.describe("b", arrays["b"])
    assert _native.address(described) == a.__array_interface__["data"][0]
    assert framework.strides(arrays["b"]) == (6, -2) and framework.stream(None) == 7
    framework.describe("d", OnGpu(a, 9))
    with pytest.raises(ValueError, match="stream: is needed"):
        framework.stream(None)
    with pytest.raises(TypeError, match="arrays of one framework are needed"):
        framework_of(b=OnGpu(a), d=a)
    if not tridia.info()["cuda_built"]:
        with pytest.raises(tridia.Error, match="cuda|CUDA"):
            tridia.solve(*(OnGpu(np.ones(4)) for _ in range(4)), out=OnGpu(np.ones(4)))
