#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation by FFT in two directions and tridiagonal lines in the third.

The box is periodic in x and y, and has walls in z, as in simulations of channels. Transforms
in x and y leave a tridiagonal system in z for each pair of wavenumbers. It runs with NumPy or, on a
GPU, with CuPy, where nothing but the import differs.

    poisson_lines.py [--cupy] [--png FILE]
"""

# %% Where arrays come from
import argparse
import importlib

import tridia


# %% -lap u = f, u = 0 at both walls: second order in z, spectral in x and y
def solve_poisson(xp, f, height):
    nz, ny, nx = f.shape
    h = height / (nz + 1)
    kx = xp.fft.rfftfreq(nx, 1 / nx)
    ky = xp.fft.fftfreq(ny, 1 / ny)
    k2 = kx**2 + (ky**2)[:, None]
    right = xp.fft.rfft2(f, axes=(1, 2))
    # One matrix for each (ky, kx), along the first axis; off-diagonals are the same everywhere.
    d = xp.broadcast_to(2 / h**2 + k2, right.shape).copy()
    modes = tridia.solve(-1 / h**2, d, -1 / h**2, right, axis=0, pivoting=False, out=right)
    return xp.fft.irfft2(modes, s=(ny, nx), axes=(1, 2))


# %% A source whose solution is known
def problem(xp, nz, n):
    height = 1.0
    z = (xp.arange(nz) + 1) * (height / (nz + 1))
    x = xp.arange(n) * (2 * xp.pi / n)
    wave = xp.sin(3 * x) + xp.cos(2 * x)[:, None]
    shape = xp.sin(xp.pi * z)[:, None, None]
    exact = shape * wave
    source = shape * ((xp.pi**2 + 9) * xp.sin(3 * x) + (xp.pi**2 + 4) * xp.cos(2 * x)[:, None])
    return height, source, exact


# %% The picture
def plot(path, u):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    image = axes.imshow(u[:, u.shape[1] // 4], origin="lower", aspect="auto", cmap="viridis")
    axes.set(xlabel="x", ylabel="z", title="u, between two walls")
    figure.colorbar(image, ax=axes)
    figure.savefig(path, dpi=110)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cupy", action="store_true")
    arguments.add_argument("--png")
    a = arguments.parse_args()
    xp = importlib.import_module("cupy" if a.cupy else "numpy")
    errors = []
    for nz in (31, 63):
        height, source, exact = problem(xp, nz, 32)
        u = solve_poisson(xp, source, height)
        errors.append(float(abs(u - exact).max()))
    print(f"largest errors with 31 and 63 levels: {errors[0]:.2e}, {errors[1]:.2e}")
    assert 3.5 < errors[0] / errors[1] < 4.5
    if a.png:
        plot(a.png, u if not a.cupy else u.get())


if __name__ == "__main__":
    main()
