# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What tests on a GPU need of a framework: streams, work that takes long, and memory that is counted.

Each class has the same methods, so that a test is written once for PyTorch and CuPy.
"""

import importlib

import pytest

import tridia

DELAY_MS = 100


class Torch:
    """PyTorch on the current GPU."""

    def __init__(self):
        self.torch = pytest.importorskip("torch")
        self.device = self.torch.device("cuda")

    def full(self, shape, value):
        return self.torch.full(shape, value, dtype=self.torch.float64, device=self.device)

    def stream(self):
        return self.torch.cuda.Stream()

    def on(self, stream):
        return self.torch.cuda.stream(stream)

    def delay(self, milliseconds):
        """Makes the current stream wait, in a kernel that counts clocks (2 GHz at most)."""
        self.torch.cuda._sleep(int(milliseconds * 2e6))

    def synchronize(self):
        self.torch.cuda.synchronize()

    def is_done(self, stream):
        return stream.query()

    def fill(self, a, value):
        a.fill_(value)

    def allocated_by(self, call):
        """Returns the most memory that was in use during a call, over that before it."""
        cuda = self.torch.cuda
        cuda.synchronize()
        cuda.reset_peak_memory_stats()
        before = cuda.memory_allocated()
        result = call()
        return cuda.max_memory_allocated() - before, result

    def free_memory(self):
        return self.torch.cuda.mem_get_info()[0]

    def address(self, a):
        return a.data_ptr()

    def transposed(self, a):
        return a.mT


class Cupy:
    """CuPy on the current GPU."""

    WAIT = r"""
    extern "C" __global__ void wait_for(long long nanoseconds) {
      long long start, now;
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
      do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
      } while (now - start < nanoseconds);
    }"""

    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.kernel = self.cupy.RawKernel(self.WAIT, "wait_for")

    def full(self, shape, value):
        return self.cupy.full(shape, value, dtype="float64")

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def on(self, stream):
        return stream

    def delay(self, milliseconds):
        self.kernel((1,), (1,), (int(milliseconds * 1e6),))

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()

    def is_done(self, stream):
        return stream.done

    def fill(self, a, value):
        a.fill(value)

    def allocated_by(self, call):
        """Returns the bytes that a call has asked the memory pool for."""

        class Count(self.cupy.cuda.MemoryHook):
            name, total = "count", 0

            def malloc_postprocess(self, **about):
                self.total += about["size"]

        with Count() as hook:
            result = call()
        return hook.total, result

    def free_memory(self):
        return self.cupy.cuda.runtime.memGetInfo()[0]

    def address(self, a):
        return a.data.ptr

    def transposed(self, a):
        return a.swapaxes(-1, -2)


def framework(name):
    """Returns a framework on a GPU, or skips the test where there is none."""
    if not (tridia.info()["cuda_built"] and tridia.info()["cuda_devices"]):
        pytest.skip("needs a GPU, and tridia with CUDA")
    pytest.importorskip(name)
    if not importlib.import_module(name).cuda.is_available():
        pytest.skip(f"{name} has no GPU")
    return {"torch": Torch, "cupy": Cupy}[name]()
