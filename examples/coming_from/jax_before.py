# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
n, batch = 100, 64
off, b = jnp.full(n, -1.0), jnp.ones((batch, n))


def loss(d):
    # The matrix is repeated for each system; dl[0] and du[-1] have to be 0.
    dl, du = off.at[0].set(0.0), off.at[-1].set(0.0)
    wide = (jnp.broadcast_to(a, b.shape) for a in (dl, d, du))
    x = jax.lax.linalg.tridiagonal_solve(*wide, b[..., None])
    return jnp.sum(x**2)


value, gradient = jax.value_and_grad(loss)(jnp.full(n, 2.5))
print(f"{value:.6f} {gradient.sum():.6f}")
