#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation in a channel: FFT in two directions, tridiagonal lines in the third.

Laplace u = f, periodic along x and y, u = 0 at z = 0 and 1. A transform along x and y leaves
u'' - k^2 u = f for each pair of wavenumbers. With the compact scheme C4 for u'' (A u'' = B u, A and
B tridiagonal) that is (B - k^2 A) u = A f: one complex tridiagonal system a pair of wavenumbers, and
an error of fourth order in z. The solution is known, and the order is checked.

    examples/poisson.py [--tridia build/bin/tridia] [--png poisson.png]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

LENGTH = 2 * np.pi  # of the box along x and y


def exact(x, y, z):
    """A solution u, and f = Laplace u."""
    wave = np.sin(2 * x) * np.cos(3 * y)
    profile = np.sin(np.pi * z) * np.exp(z)
    curvature = np.exp(z) * ((1 - np.pi**2) * np.sin(np.pi * z) + 2 * np.pi * np.cos(np.pi * z))
    return wave * profile, wave * (curvature - (4 + 9) * profile)


def solve_lines(tridia, dl, d, du, rhs):
    """The systems along the last axis."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tridia, "solve", "--axis", "-1", "--pivoting", "none", "--quiet"]
        for name, array in (("dl", dl), ("d", d), ("du", du), ("rhs", rhs)):
            np.save(Path(folder) / f"{name}.npy", array)
            command += [f"--{name}", f"{folder}/{name}.npy"]
        subprocess.run(command + ["--out", f"{folder}/u.npy"], check=True)
        return np.load(Path(folder) / "u.npy")


def solve(tridia, f, h):
    """u at the inner points of z, of which f has two more."""
    k = [2 * np.pi * np.fft.fftfreq(n, LENGTH / n) for n in f.shape[:2]]
    k2 = (k[0][:, None] ** 2 + k[1] ** 2)[:, :, None]
    f = np.fft.fft2(f, axes=(0, 1))
    rhs = f[..., :-2] / 10 + f[..., 1:-1] + f[..., 2:] / 10
    ones = np.ones(rhs.shape, complex)
    off = (1.2 / h**2 - k2 / 10) * ones
    u = solve_lines(tridia, off, (-2.4 / h**2 - k2) * ones, off, rhs)
    return np.fft.ifft2(u, axes=(0, 1)).real


def error_of(tridia, points):
    """u, its error, and z, on 32 x 32 x points cells."""
    x = LENGTH * np.arange(32)[:, None, None] / 32
    y = LENGTH * np.arange(32)[:, None] / 32
    z = np.linspace(0, 1, points + 1)
    u, f = exact(x, y, z)
    found = solve(tridia, f, z[1])
    return found, found - u[..., 1:-1], z[1:-1]


def draw(path, u, error, z):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4))
    y = LENGTH * np.arange(u.shape[1]) / u.shape[1]
    for ax, field, title in ((axes[0], u, "u"), (axes[1], error, "error")):
        mesh = ax.pcolormesh(y, z, field[3].T, shading="auto", cmap="RdBu")
        figure.colorbar(mesh, ax=ax)
        ax.set(xlabel="y", ylabel="z", title=title)
    figure.tight_layout()
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tridia", default="build/bin/tridia")
    parser.add_argument("--png")
    arguments = parser.parse_args()
    _, coarse, _ = error_of(arguments.tridia, 32)
    u, fine, z = error_of(arguments.tridia, 64)
    order = np.log2(np.abs(coarse).max() / np.abs(fine).max())
    print(f"largest error {np.abs(fine).max():.1e} with 64 cells, order {order:.2f}")
    if arguments.png:
        draw(arguments.png, u, fine, z)
    sys.exit(0 if abs(order - 4) < 0.2 else "the error does not fall with the fourth order")


if __name__ == "__main__":
    main()
