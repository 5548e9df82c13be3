#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""A differentiable batch of splines, fitted to noisy samples in PyTorch.

Each of many signals is a cubic spline through unknown values at common knots. The values are
found by gradient descent on the misfit at scattered times, and so are the knots: gradients go
through the spline's tridiagonal solve.

    spline_fit.py [--png FILE]      # exits with 77 where PyTorch is not there
"""

# %% Signals, seen at scattered times with noise
import argparse
import sys

try:
    import torch
except ImportError:
    sys.exit(77)

import tridia

SIGNALS, SAMPLES, KNOTS = 64, 400, 12


def samples(generator):
    times = torch.rand(SAMPLES, generator=generator, dtype=torch.float64).sort().values
    phases = torch.rand(SIGNALS, generator=generator, dtype=torch.float64) * 6.28
    clean = torch.sin(9 * times[:, None] ** 2 + phases)
    noise = torch.randn(clean.shape, generator=generator, dtype=torch.float64)
    return times, clean, clean + 0.1 * noise


# %% The model: knots from positive gaps, so that they increase; values one for each signal
def knots_of(gaps):
    x = torch.cumsum(torch.softmax(gaps, 0), 0)
    return torch.cat([torch.zeros(1, dtype=x.dtype), x[:-1], torch.ones(1, dtype=x.dtype)])


def fit(times, seen, steps=150):
    gaps = torch.zeros(KNOTS - 1, dtype=torch.float64, requires_grad=True)
    values = torch.zeros(KNOTS, SIGNALS, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([gaps, values], lr=0.05)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        spline = tridia.CubicSpline(knots_of(gaps), values, bc_type="natural")
        loss = ((spline(times) - seen) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return knots_of(gaps).detach(), values.detach(), losses


# %% The picture
def plot(path, times, clean, seen, knots, values):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(times, seen[:, 0], ".", color="0.7", label="samples")
    axes.plot(times, clean[:, 0], "k:", label="signal")
    axes.plot(times, tridia.CubicSpline(knots, values, bc_type="natural")(times)[:, 0],
              label="fitted spline")
    axes.plot(knots, values[:, 0], "o", label="knots, fitted too")
    axes.legend()
    figure.savefig(path, dpi=110)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--png")
    png = arguments.parse_args().png
    times, clean, seen = samples(torch.Generator().manual_seed(5))
    knots, values, losses = fit(times, seen)
    fitted = tridia.CubicSpline(knots, values, bc_type="natural")(times)
    error = float(((fitted - clean) ** 2).mean().sqrt())
    print(f"misfit from {losses[0]:.3f} to {losses[-1]:.4f} (noise: 0.0100); error {error:.3f}")
    assert losses[-1] < 0.02 and error < 0.1
    if png:
        plot(png, times, clean, seen, knots, values)


if __name__ == "__main__":
    main()
