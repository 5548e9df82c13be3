# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests tridia.jax on a GPU; they are skipped where there is none."""

import time

import numpy as np
import pytest

from jax_support import jax, jnp, random_systems
import tridia
import tridia.jax


def gpus():
    try:
        return jax.devices("cuda")
    except RuntimeError:
        return []


if not gpus():
    pytest.skip("there is no GPU that JAX can use", allow_module_level=True)
if not tridia.info()["cuda_built"]:
    pytest.skip("tridia was built without CUDA", allow_module_level=True)

GPU, CPU = gpus()[0], jax.devices("cpu")[0]
TOLERANCE = {np.float32: 2e-4, np.complex64: 2e-4, np.float64: 1e-11, np.complex128: 1e-11}


def on(device, arrays):
    return [jax.device_put(a, device) for a in arrays]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape, axis", [((64, 33), -1), ((33, 64), 0), ((5, 1000), -1)])
@pytest.mark.parametrize("options", [{}, {"periodic": True}, {"transpose": "H"},
                                     {"pivoting": False}])
def test_solve_as_on_a_cpu(dtype, shape, axis, options):
    systems = [jnp.moveaxis(a, -1, axis) for a in random_systems(
        tuple(np.moveaxis(np.empty(shape), axis, -1).shape), dtype=dtype)]
    x = tridia.jax.solve(*on(GPU, systems), axis=axis, **options)
    assert x.devices() == {GPU}
    np.testing.assert_allclose(x, tridia.jax.solve(*on(CPU, systems), axis=axis, **options),
                               atol=TOLERANCE[dtype])


@pytest.mark.parametrize("matrix_shape", [(40,), (6, 40), (6, 1, 40)])
def test_gradients_as_on_a_cpu(matrix_shape):
    shape = (6, 7, 40) if len(matrix_shape) != 2 else (6, 40)
    systems = random_systems(shape, matrix_shape)
    gradient = jax.jit(jax.grad(lambda *a: jnp.sum(tridia.jax.solve(*a) ** 2), (0, 1, 2, 3)))
    for a, e in zip(gradient(*on(GPU, systems)), gradient(*on(CPU, systems))):
        np.testing.assert_allclose(a, e, atol=1e-11)


def test_vmap_is_one_call_without_a_copy():
    dl, d, du, b = on(GPU, random_systems((3, 8, 32), (32,)))
    nested = jax.jit(jax.vmap(jax.vmap(lambda b: tridia.jax.solve(dl, d, du, b))))
    text = nested.lower(b).compile().as_text()
    assert text.count('custom_call_target="tridia_solve"') == 1 and " copy(" not in text
    np.testing.assert_allclose(nested(b), tridia.jax.solve(dl, d, du, b), atol=1e-13)


def test_a_singular_system_is_nan_and_no_other():
    dl, d, du, b = on(GPU, random_systems((50, 20)))
    x = tridia.jax.solve(dl.at[7].set(0), d.at[7, 3].set(0), du.at[7].set(0), b)
    assert np.isnan(x[7]).all() and np.isfinite(np.delete(x, 7, axis=0)).all()


@pytest.mark.parametrize("operator", [
    lambda f: tridia.jax.derivative(f, 0.1), tridia.jax.interpolate, tridia.jax.filter,
    lambda f: tridia.jax.derivative(f, 0.1, order=2, axis=0, periodic=True)])
def test_operators_as_on_a_cpu(operator):
    f, = random_systems((64, 65))[3:]
    both = jax.value_and_grad(lambda f: jnp.sum(operator(f) ** 2))
    np.testing.assert_allclose(operator(*on(GPU, [f])), operator(*on(CPU, [f])), atol=1e-9)
    for a, e in zip(both(*on(GPU, [f])), both(*on(CPU, [f]))):
        np.testing.assert_allclose(a, e, rtol=1e-9, atol=1e-7)


def test_work_is_in_order():
    """The right-hand side is written 100 ms late, and x is read at once: 200 of 200 are right."""
    n, batch = 64, 4096
    off, d = jnp.full(n, -1.0), jnp.full(n, 2.5)
    slow = jax.device_put(jnp.ones((1500, 1500)) / 1500, GPU)

    @jax.jit
    def wait(a, turns):
        return jax.lax.fori_loop(0, turns, lambda _, a: slow @ a, a)

    @jax.jit
    def fill_solve_sum(k, turns):
        b = jnp.full((batch, n), 1.0) * (k + 0 * wait(slow, turns)[0, 0])
        return jnp.sum(tridia.jax.solve(off, d, off, b))

    def seconds(turns):
        start = time.perf_counter()
        fill_solve_sum(1.0, turns).block_until_ready()
        return time.perf_counter() - start

    seconds(1)
    turns = max(1, round(0.1 * 20 / seconds(20)))
    one = float(fill_solve_sum(1.0, turns))
    start = time.perf_counter()
    sums = [fill_solve_sum(float(k), turns) for k in range(1, 201)]
    right = np.isclose(np.array(sums), one * np.arange(1, 201), rtol=1e-10)
    assert right.sum() == 200, f"{right.sum()} of 200 are right"
    assert time.perf_counter() - start >= 200 * 0.05  # the delay was there
    exact = np.sum(tridia.solve(-1.0, 2.5, -1.0, np.ones(n))) * batch
    np.testing.assert_allclose(one, exact, rtol=1e-10)


def test_backward_takes_no_temporaries():
    systems = on(GPU, random_systems((4096, 512)))
    x, backward = jax.vjp(tridia.jax.solve, *systems)
    compiled = jax.jit(backward).lower(x).compile()
    assert compiled.as_text().count('custom_call_target="tridia_backward"') == 1
    assert compiled.memory_analysis().temp_size_in_bytes <= 1024


def test_workspace_is_all_that_a_call_takes():
    systems = on(GPU, random_systems((4096, 512)))
    compiled = jax.jit(lambda *a: tridia.jax.solve(*a)).lower(*systems).compile()
    assert compiled.memory_analysis().temp_size_in_bytes == 0


def test_several_gpus():
    if len(gpus()) < 2:
        pytest.skip("there is one GPU")
    systems = random_systems((8, 30))
    for gpu in gpus():
        np.testing.assert_allclose(tridia.jax.solve(*on(gpu, systems)),
                                   tridia.jax.solve(*on(CPU, systems)), atol=1e-12)
