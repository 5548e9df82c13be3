#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Times calls of the Python package, on a CPU and on a GPU, with every framework that is there.

    bench/python_call.py --json bench/results/MACHINE/python-DATE.json      measures, half a minute
    bench/python_call.py --docs bench/results/MACHINE/python-DATE.json ...  writes the table of
                                                                            docs/performance.md

Host times are those until a call has returned; on a GPU its work is then enqueued. Large solves are
timed in a row, until the last one is done, and compared with a copy of as many bytes on the same
GPU. Frameworks that are not installed are left out. A quiet machine is wanted.
"""

import importlib
import os
import platform
import threading
import time

import call_results
from readme import table

# JAX would take most of the GPU's memory at once.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

NAME = "bench/python_call.py"
ROWS, SYSTEMS = 512, 131072
FORWARD_WORDS, BACKWARD_WORDS = 5, 9  # of a row: those that are read and those that are written
BLOCKS, CALLS, REPEATS = 9, 200, 50
SMALL_JAX = ((1, 8), (1, 64), (100, 64))  # systems, rows


def row(case, solver, times, n, batch, floor_ms=None, repetitions=BLOCKS * CALLS):
    return call_results.row(case, solver, times, n, batch, repetitions, floor_ms)


def host_times(call, wait=lambda: None):
    """Returns the milliseconds of a call, the mean of each block of calls, until it has returned."""
    for _ in range(CALLS):
        call()
    times = []
    for _ in range(BLOCKS):
        wait()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        times.append((time.perf_counter() - start) / CALLS * 1e3)
    wait()
    return times


def device_times(call, wait):
    """Returns the milliseconds of a call, the mean of each block, until the device has done it."""
    times = []
    for _ in range(BLOCKS + 1):
        wait(call())
        start = time.perf_counter()
        for _ in range(REPEATS):
            last = call()
        wait(last)
        times.append((time.perf_counter() - start) / REPEATS * 1e3)
    return times[1:]


def found(module):
    """Returns a module, or None where it is not installed or has no GPU."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


# ---- on a CPU

def numpy_rows():
    import numpy as np
    import tridia
    arrays = -np.ones(8), np.full(8, 4.0), -np.ones(8), np.ones(8)
    out, plan = np.empty(8), tridia.Plan((8,), "f8")
    yield row("host: Plan.execute", "tridia numpy",
              host_times(lambda: plan.execute(*arrays, out=out)), 8, 1)
    yield row("host: solve", "tridia numpy", host_times(lambda: tridia.solve(*arrays)), 8, 1)


def thread_rows():
    """Yields rows for the time of as much work in each thread, of one thread and of two."""
    import numpy as np
    import tridia
    batch, turns = 200, 50
    work = [[np.full((batch, ROWS), v) for v in (-1.0, 4.0, -1.0, 1.0, 0.0)] for _ in range(2)]

    def run(arrays):
        for _ in range(turns):
            tridia.solve(*arrays[:4], out=arrays[4], threads=1)

    def times(count):
        for _ in range(BLOCKS):
            threads = [threading.Thread(target=run, args=(w,)) for w in work[:count]]
            start = time.perf_counter()
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            yield (time.perf_counter() - start) * 1e3

    run(work[0])
    for count, case in ((1, "one Python thread"), (2, "two Python threads")):
        yield row(case, "tridia numpy", times(count), ROWS, batch, repetitions=BLOCKS * turns)


def small_jax_rows():
    jax = found("jax")
    if jax is None:
        return
    import jax_call
    jax.config.update("jax_enable_x64", True)
    with jax.default_device(jax.devices("cpu")[0]):
        for size in SMALL_JAX:
            for one in jax_call.measure(*size):
                yield {**one, "case": "host: jitted, on the CPU"}


def torch_small_rows(device):
    """Yields rows for host times of tensors: a solve, a forward pass with gradients, a backward."""
    torch = found("torch")
    if torch is None or (device == "cuda" and not torch.cuda.is_available()):
        return
    import tridia
    solver = "tridia torch" if device == "cpu" else "tridia torch cuda"
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    arrays = [torch.full((8, 8), v, dtype=torch.float64, device=device)
              for v in (-1.0, 4.0, -1.0, 1.0)]
    out, g = torch.empty_like(arrays[3]), torch.ones_like(arrays[3])
    plan = tridia.Plan((8, 8), "f8", device=device)
    yield row("host: Plan.execute", solver,
              host_times(lambda: plan.execute(*arrays, out=out), wait), 8, 8)
    yield row("host: solve", solver, host_times(lambda: tridia.solve(*arrays), wait), 8, 8)
    leaves = [a.clone().requires_grad_() for a in arrays]
    yield row("host: forward with gradients", solver,
              host_times(lambda: tridia.solve(*leaves), wait), 8, 8)
    x = tridia.solve(*leaves)
    yield row("host: backward", solver, host_times(
        lambda: torch.autograd.grad(x, leaves, g, retain_graph=True), wait), 8, 8)
    # What PyTorch takes to run the backward pass of any four inputs, in a thread of its own on a GPU.
    total = leaves[0] * leaves[1] + leaves[2] * leaves[3]
    yield row("host: backward", solver.replace("tridia torch", "torch"), host_times(
        lambda: torch.autograd.grad(total, leaves, g, retain_graph=True), wait), 8, 8)


# ---- on a GPU

def cupy_small_rows():
    cupy = found("cupy")
    if cupy is None:
        return
    import tridia
    wait = cupy.cuda.Device().synchronize
    arrays = [cupy.full((8, 8), v) for v in (-1.0, 4.0, -1.0, 1.0)]
    out, plan = cupy.empty((8, 8)), tridia.Plan((8, 8), "f8", device="cuda")
    yield row("host: Plan.execute", "tridia cupy cuda",
              host_times(lambda: plan.execute(*arrays, out=out), wait), 8, 8)
    yield row("host: solve", "tridia cupy cuda", host_times(lambda: tridia.solve(*arrays), wait),
              8, 8)


def copy_rows():
    """Yields rows for copies, whose `floor_ms` is the time of five words a row at their rate."""
    bytes_moved = FORWARD_WORDS * SYSTEMS * ROWS * 8
    torch, cupy = found("torch"), found("cupy")
    if torch is not None and torch.cuda.is_available():
        a = torch.zeros(bytes_moved // 16, dtype=torch.float64, device="cuda")
        b = torch.empty_like(a)
        times = device_times(lambda: b.copy_(a), lambda _: torch.cuda.synchronize())
        yield row("copy, as many bytes", "copy", times, ROWS, SYSTEMS, repetitions=BLOCKS * REPEATS)
        del a, b
        torch.cuda.empty_cache()
    if cupy is not None:
        add = cupy.ElementwiseKernel("float64 a, float64 b, float64 c, float64 d", "float64 e",
                                     "e = a + b + c + d", "read_four_write_one")
        arrays = [cupy.zeros((SYSTEMS, ROWS)) for _ in range(5)]
        times = device_times(lambda: add(*arrays), lambda _: cupy.cuda.Device().synchronize())
        yield row("read four arrays, write one", "copy", times, ROWS, SYSTEMS,
                  repetitions=BLOCKS * REPEATS)
        del arrays
        cupy.get_default_memory_pool().free_all_blocks()


def large_systems(case):
    """Returns dl, d, du, b on the host: dominant, or random, which need pivoting."""
    import numpy as np
    rng = np.random.default_rng(0)
    arrays = [2 * rng.random((SYSTEMS, ROWS)) - 1 for _ in range(4)]
    if case == "dominant":
        arrays[1] += 4
    arrays[0][:, 0] = arrays[2][:, -1] = 0  # as JAX's own solver wants them
    return arrays


def large_row(case, solver, times, floor_ms):
    return row(case, solver, times, ROWS, SYSTEMS, floor_ms, BLOCKS * REPEATS)


def large_torch_rows(case, systems, floor_ms):
    torch = found("torch")
    if torch is None or not torch.cuda.is_available():
        return
    import tridia
    arrays = [torch.from_numpy(a).cuda().requires_grad_() for a in systems]
    out, wait = torch.empty_like(arrays[3]), lambda _: torch.cuda.synchronize()
    with torch.no_grad():
        times = device_times(lambda: tridia.solve(*arrays, out=out), wait)
    yield large_row(case, "tridia torch cuda", times, floor_ms)
    x = tridia.solve(*arrays)
    times = device_times(lambda: torch.autograd.grad(x, arrays, out, retain_graph=True), wait)
    yield large_row(f"{case}, backward", "tridia torch cuda", times,
                    floor_ms * BACKWARD_WORDS / FORWARD_WORDS)
    del arrays, x, out
    torch.cuda.empty_cache()


def large_cupy_rows(case, systems, floor_ms):
    cupy = found("cupy")
    if cupy is None:
        return
    import tridia
    arrays = [cupy.asarray(a) for a in systems]
    out = cupy.empty_like(arrays[3])
    times = device_times(lambda: tridia.solve(*arrays, out=out),
                         lambda _: cupy.cuda.Device().synchronize())
    yield large_row(case, "tridia cupy cuda", times, floor_ms)
    del arrays, out
    cupy.get_default_memory_pool().free_all_blocks()


def large_jax_rows(case, systems, floor_ms):
    jax = found("jax")
    try:
        gpu = jax.devices("cuda")[0] if jax else None
    except RuntimeError:
        gpu = None
    if gpu is None:
        return
    import tridia.jax
    arrays = [jax.device_put(a, gpu) for a in systems]
    solve = jax.jit(lambda *a: tridia.jax.solve(*a))
    yield large_row(case, "tridia jax cuda",
                    device_times(lambda: solve(*arrays), jax.block_until_ready), floor_ms)
    x, vjp = jax.vjp(tridia.jax.solve, *arrays)
    backward = jax.jit(lambda f, g: f(g))
    yield large_row(f"{case}, backward", "tridia jax cuda",
                    device_times(lambda: backward(vjp, x), jax.block_until_ready),
                    floor_ms * BACKWARD_WORDS / FORWARD_WORDS)
    if case == "dominant":  # it does not pivot
        own = jax.jit(lambda dl, d, du, b: jax.lax.linalg.tridiagonal_solve(dl, d, du, b[..., None]))
        yield large_row(case, "jax", device_times(lambda: own(*arrays), jax.block_until_ready),
                        floor_ms)


def large_rows(copies):
    if not copies:
        return
    floor_ms = min(one["ms"] for one in copies)
    for case in ("dominant", "random"):
        systems = large_systems(case)
        for rows in (large_torch_rows, large_cupy_rows, large_jax_rows):
            yield from rows(case, systems, floor_ms)


# ---- results and their table

def machine():
    import tridia
    cpu, info = call_results.cpu_name(), tridia.info()
    gpu = info["cuda_devices"][0]["name"] if info["cuda_devices"] else None
    return {"device": gpu or cpu, "host": cpu, "driver": None, "clock": None,
            "cuda": info["cuda_runtime"] or None, "cores": os.cpu_count(), "simd": info["simd"]}


def versions():
    import tridia
    modules = {name: found(name) for name in ("numpy", "torch", "cupy", "jax", "jaxlib")}
    return {"tridia": tridia.__version__, "python": platform.python_version(),
            **{name: m.__version__ for name, m in modules.items() if m is not None}}


def results():
    import tridia
    rows = [*numpy_rows(), *thread_rows(), *torch_small_rows("cpu"), *small_jax_rows()]
    if tridia.info()["cuda_devices"]:
        rows += [*torch_small_rows("cuda"), *cupy_small_rows()]
        copies = list(copy_rows())
        rows += [*copies, *large_rows(copies)]
    return call_results.results(NAME, machine(), versions(), rows)


def value_of(rows, **fields):
    """Returns the milliseconds of the row with these fields, or None."""
    return next((r["ms"] for r in rows if all(r[k] == v for k, v in fields.items())), None)


def microseconds(case, solver):
    def read(rows):
        ms = value_of(rows, case=case, solver=solver)
        return None if ms is None else f"{ms * 1e3:.1f} us"
    return read


def times_floor(case, solver):
    def read(rows):
        r = next((r for r in rows if r["case"] == case and r["solver"] == solver), None)
        return None if r is None else f"{r['ms'] / r['floor_ms']:.2f}"
    return read


def against_jax(batch, n):
    def read(rows):
        of = {"case": "host: jitted, on the CPU", "batch": batch, "n": n}
        ours, theirs = (value_of(rows, solver=s, **of) for s in ("tridia", "jax"))
        return None if ours is None else f"{ours / theirs:.2f}"
    return read


def threads(rows):
    one, two = (value_of(rows, case=f"{c} Python thread{s}") for c, s in (("one", ""), ("two", "s")))
    return None if one is None else f"{2 * one / two:.2f}"


def calls_of(name, solver, limits):
    return [(f"{name}: {call}", most and f"{most} us", microseconds(f"host: {case}", solver))
            for (call, case), most in zip((("`Plan.execute(out=)`", "Plan.execute"),
                                           ("`solve`", "solve")), limits)]


def large(case, word_count, solvers, limit):
    return [(f"{SYSTEMS} x {ROWS}, {case}: {name}, times {word_count} words", limit,
             times_floor(case, solver)) for name, solver in solvers]


OURS = [(name, f"tridia {key} cuda") for name, key in
        (("JAX", "jax"), ("PyTorch", "torch"), ("CuPy", "cupy"))]
# What a line is, what is wanted at most (or at least), and how it is read.
LINES = [
    *calls_of("NumPy, 8 rows", "tridia numpy", (3, 6)),
    *((f"jitted JAX on the CPU, {batch} of {n} rows, times JAX's own", "1.5", against_jax(batch, n))
      for batch, n in SMALL_JAX),
    ("two Python threads, times the work of one", ">= 1.7", threads),
    *calls_of("PyTorch on a CPU", "tridia torch", ("", "")),
    ("PyTorch on a CPU: forward with gradients", "",
     microseconds("host: forward with gradients", "tridia torch")),
    ("PyTorch on a CPU: backward", "", microseconds("host: backward", "tridia torch")),
    ("PyTorch on a CPU: backward of its own a b + c d", "", microseconds("host: backward", "torch")),
    *calls_of("PyTorch on a GPU", "tridia torch cuda", (10, 16)),
    ("PyTorch on a GPU: forward with gradients", "60 us",
     microseconds("host: forward with gradients", "tridia torch cuda")),
    ("PyTorch on a GPU: backward", "60 us", microseconds("host: backward", "tridia torch cuda")),
    ("PyTorch on a GPU: backward of its own a b + c d", "",
     microseconds("host: backward", "torch cuda")),
    *calls_of("CuPy", "tridia cupy cuda", (10, 16)),
    *large("dominant", 5, OURS, "1.05"),
    *large("dominant", 5, [("JAX's own", "jax")], ""),
    *large("random", 5, OURS, ""),
    *large("dominant, backward", 9, OURS[:2], "1.25"),
    *large("random, backward", 9, OURS[:2], ""),
]


def text(files, sources):
    """Makes the block of docs/performance.md, with a column for each file of results."""
    body = []
    for name, limit, read in LINES:
        values = [read(f["rows"]) for f in files]
        if any(v is not None for v in values):
            body.append([name, limit, *(v or "-" for v in values)])
    links = ", ".join(f"{f['machine']['device']}, {f['date'][:10]} ([results]({source}))"
                      for f, source in zip(files, sources))
    return ["Calls from Python: the host's time until a call returns, in microseconds, and the time "
            f"of large solves as multiples of a copy of as many bytes, f64, on {links}.", "",
            *table(["", "wanted", *(f["machine"]["device"] for f in files)], body)]


if __name__ == "__main__":
    call_results.main(__doc__, NAME, results, text, "docs/performance.md")
