#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Times a jitted call of tridia.jax beside JAX's own solver, on a CPU, for few and small systems.

    bench/jax_call.py --json bench/results/MACHINE/jax-DATE.json    measures
    bench/jax_call.py --docs bench/results/MACHINE/jax-DATE.json    writes the table of docs/jax.md

It needs tridia and JAX. A quiet machine is wanted: the calls take some microseconds.
"""

import os
import platform
import time

import call_results
from readme import table

NAME = "bench/jax_call.py"
SIZES = ((1, 8), (1, 64), (1, 512), (100, 64), (1000, 8))  # systems, rows
CALLS, BLOCKS = 500, 15
SOLVERS = ("tridia", "jax")


def solvers_of(jax):
    import tridia.jax
    from jax.lax.linalg import tridiagonal_solve
    return {"tridia": jax.jit(lambda dl, d, du, b: tridia.jax.solve(dl, d, du, b)),
            "jax": jax.jit(lambda dl, d, du, b: tridiagonal_solve(dl, d, du, b[..., None]))}


def milliseconds_of_blocks(call, arrays):
    """Yields the time of a call, the mean of a block of calls, block after block."""
    call(*arrays).block_until_ready()
    while True:
        start = time.perf_counter()
        for _ in range(CALLS):
            call(*arrays).block_until_ready()
        yield (time.perf_counter() - start) / CALLS * 1e3


def measure(batch, n):
    """Returns a row for each solver; their blocks alternate, so that both see the same machine."""
    import jax
    import numpy as np
    rng = np.random.default_rng(0)
    dl, d, du, b = (rng.standard_normal((batch, n)) for _ in range(4))
    dl[:, 0] = du[:, -1] = 0  # as JAX's own wants them
    arrays = [jax.numpy.asarray(a) for a in (dl, d + 5, du, b)]
    blocks = {name: milliseconds_of_blocks(f, arrays) for name, f in solvers_of(jax).items()}
    times = {name: [] for name in blocks}
    for _ in range(BLOCKS):
        for name, block in blocks.items():
            times[name].append(next(block))
    return [call_results.row("dominant", name, t, n, batch, BLOCKS * CALLS)
            for name, t in times.items()]


def results():
    import jax
    import jaxlib
    import numpy
    import tridia
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    machine = {"device": call_results.cpu_name(), "driver": None, "cuda": None, "clock": None,
               "cores": os.cpu_count(), "simd": tridia.info()["simd"]}
    versions = {"tridia": tridia.__version__, "jax": jax.__version__,
                "jaxlib": jaxlib.__version__, "numpy": numpy.__version__,
                "python": platform.python_version()}
    return call_results.results(NAME, machine, versions,
                                [row for size in SIZES for row in measure(*size)])


def text(files, sources):
    """Makes the block of docs/jax.md, of one file of results for each version of JAX."""
    head = ["systems of rows", *(f"JAX {f['versions']['jax']}" for f in files)]
    body = []
    for batch, n in SIZES:
        ratios = []
        for results_of_one in files:
            ms = {row["solver"]: row["ms"] for row in results_of_one["rows"]
                  if (row["batch"], row["n"]) == (batch, n)}
            ratios.append(f"{ms['tridia'] / ms['jax']:.2f}")
        body.append([f"{batch} of {n}", *ratios])
    links = ", ".join(f"[results]({source})" for source in sources)
    device, date = files[0]["machine"]["device"], files[0]["date"][:10]
    return ["The time of a jitted call as a multiple of that of "
            f"`jax.lax.linalg.tridiagonal_solve`, f64 on one {device}, {date} ({links}).", "", *table(head, body)]


if __name__ == "__main__":
    call_results.main(__doc__, NAME, results, text, "docs/jax.md")
