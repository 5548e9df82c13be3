#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""A cable equation in JAX, and what its gradients find: the leak of a dendrite from its voltages.

The voltage v of a passive cable obeys, in units of its length constant and time constant,

    v_t = v_xx - g(x) v + i(x, t),    v_x = 0 at both ends.

Implicit steps in time lead to one tridiagonal matrix, (1 + dt g) v - dt v_xx, for all experiments:
a current enters the cable at a different place in each, and electrodes record the voltage at a few
others. The leak g(x) is unknown. It is found from the recordings, through the gradient of their
misfit: that of 200 solves, one after another, is 200 solves with the transposed matrix.

    cable_equation.py [--steps 200] [--png FILE]      # exits with 77 where JAX is not there
"""

# %% A cable, where currents enter it, and where its voltage is recorded

import argparse
import sys

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    sys.exit(77)

import tridia

jax.config.update("jax_enable_x64", True)

CELLS, LENGTH = 256, 8.0  # the length is in length constants
TIMES, DT = 200, 0.02  # dt is in time constants
PLACES = np.linspace(16, CELLS - 17, 12).astype(int)  # where currents enter, one an experiment
ELECTRODES = np.arange(8, CELLS, 16)
X = (np.arange(CELLS) + 0.5) * LENGTH / CELLS
H = LENGTH / CELLS


# %% The model: implicit steps in time


def matrix(leak):
    """Returns the diagonals of an implicit step; no current leaves through the ends."""
    off = jnp.full(CELLS, -DT / H**2)
    neighbours = jnp.full(CELLS, 2.0).at[jnp.array([0, -1])].set(1.0)
    return off, 1 + DT * leak + DT / H**2 * neighbours, off


def simulate(leak):
    """Returns the voltages, of shape (times, experiments, cells)."""
    current = jnp.zeros((len(PLACES), CELLS)).at[np.arange(len(PLACES)), PLACES].set(1 / H)
    dl, d, du = matrix(leak)

    def step(v, k):
        pulse = jnp.where(k * DT < 1, 1.0, 0.0)
        # The matrix is dominant, so it needs no interchanges of rows.
        v = tridia.solve(dl, d, du, v + DT * pulse * current, pivoting=False)
        return v, v

    return jax.lax.scan(step, jnp.zeros_like(current), jnp.arange(TIMES))[1]


# %% The misfit, and the leak that makes it small


def misfit(log_leak, recorded):
    """Returns the relative mean square of the errors at the electrodes. A leak is positive, so its
    logarithm is sought; it is smooth, hence the second term."""
    seen = simulate(jnp.exp(log_leak))[..., ELECTRODES]
    roughness = jnp.sum(jnp.diff(log_leak, 2) ** 2) / H**3
    return jnp.mean((seen - recorded) ** 2) / jnp.mean(recorded**2) + 1e-9 * roughness


def fit(recorded, steps):
    """Returns log g after this many steps of Adam from g = 1, and the misfit before each step."""
    value_and_gradient = jax.value_and_grad(misfit)

    def step(state, k):
        at, mean, square = state
        value, g = value_and_gradient(at, recorded)
        mean, square = 0.9 * mean + 0.1 * g, 0.99 * square + 0.01 * g**2
        rate = 0.1 * 0.5 * (1 + jnp.cos(jnp.pi * k / steps))
        ahead = mean / (1 - 0.9 ** (k + 1)), square / (1 - 0.99 ** (k + 1))
        return (at - rate * ahead[0] / (jnp.sqrt(ahead[1]) + 1e-12), mean, square), value

    start = (jnp.zeros(CELLS),) * 3
    (found, *_), values = jax.jit(lambda: jax.lax.scan(step, start, jnp.arange(steps)))()
    return found, values


def check_gradient(log_leak, recorded):
    """Compares the gradient along a random direction with a central difference."""
    along = jnp.asarray(np.random.default_rng(0).standard_normal(CELLS))
    h = 1e-5
    difference = (misfit(log_leak + h * along, recorded) -
                  misfit(log_leak - h * along, recorded)) / (2 * h)
    exact = jnp.vdot(jax.grad(misfit)(log_leak, recorded), along)
    return float(abs(exact - difference) / abs(difference))


# %% A picture, and the run


def draw(path, leak, found, values):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    v = simulate(leak)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
    image = left.imshow(v[:, 3].T, origin="lower", aspect="auto", cmap="magma",
                        extent=(0, TIMES * DT, 0, LENGTH))
    left.set(title="voltage of one experiment", xlabel="time / time constant",
             ylabel="x / length constant")
    figure.colorbar(image, ax=left)
    middle.plot(X, leak, "k", label="true")
    middle.plot(X, np.exp(found), "C3--", label="found from recordings")
    middle.plot(X[ELECTRODES], np.zeros(len(ELECTRODES)), "^", color="0.5", label="electrodes",
                clip_on=False)
    middle.set(title="leak g(x)", xlabel="x / length constant", ylim=(0, None))
    middle.legend()
    right.semilogy(values)
    right.set(title="misfit", xlabel="steps of Adam")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--png")
    arguments = parser.parse_args()

    leak = 1 + 1.5 * np.exp(-((X - 2.5) ** 2)) + 0.8 * np.exp(-4 * (X - 6) ** 2)
    noise = 1e-3 * np.random.default_rng(1).standard_normal((TIMES, len(PLACES), len(ELECTRODES)))
    recorded = simulate(leak)[..., ELECTRODES] + noise

    wrong = check_gradient(jnp.zeros(CELLS), recorded)
    print(f"gradient against a central difference: relative {wrong:.1e}")
    found, values = fit(recorded, arguments.steps)
    error = float(jnp.max(jnp.abs(jnp.exp(found) - leak)) / leak.max())
    print(f"misfit {values[0]:.1e} -> {values[-1]:.1e}; g(x) is found to {100 * error:.1f} % "
          "of its largest value")
    if arguments.png:
        draw(arguments.png, leak, found, values)
    if wrong > 1e-6 or (arguments.steps >= 200 and error > 0.1):
        raise SystemExit("the leak was not found")


if __name__ == "__main__":
    main()
