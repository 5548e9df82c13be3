# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import jax
import jax.numpy as jnp
import tridia.jax

jax.config.update("jax_enable_x64", True)
n, batch = 100, 64
off, b = jnp.full(n, -1.0), jnp.ones((batch, n))


def loss(d):
    x = tridia.jax.solve(off, d, off, b)  # one matrix for all systems
    return jnp.sum(x**2)


value, gradient = jax.value_and_grad(loss)(jnp.full(n, 2.5))
print(f"{value:.6f} {gradient.sum():.6f}")
