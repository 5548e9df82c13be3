#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Compact derivatives of a field beside numpy.gradient.

    compact_derivatives.py [--png FILE]
"""

# %% A field with short waves, periodic in x, on a coarse grid, and its exact derivative along x
import argparse

import numpy as np

import tridia


def field(n):
    x, y = np.meshgrid(np.linspace(0, 2 * np.pi, n, endpoint=False), np.linspace(0, 1, 32),
                       indexing="ij")
    wave = 6 * x + 3 * y
    return x[1, 0], np.sin(wave) * np.exp(-y), 6 * np.cos(wave) * np.exp(-y)


# %% The error of each, as the grid gets finer
def errors(sizes):
    table = []
    for n in sizes:
        h, f, exact = field(n)
        # numpy.gradient knows no periodic axis: its first and last rows are left out.
        row = [abs(np.gradient(f, h, axis=0) - exact)[1:-1].max()]
        for scheme in ("C4", "C6", "C8"):
            df = tridia.derivative(f, h, axis=0, scheme=scheme, periodic=True)
            row.append(abs(df - exact).max())
        table.append(row)
    return np.array(table)


# %% The wavenumbers that each scheme has in place of the true ones
def modified_wavenumbers(w):
    curves = {"numpy.gradient": np.sin(w)}
    for name in tridia.schemes("first_derivative"):
        scheme = tridia.Scheme.named("first_derivative", name)
        curves[name] = scheme.modified_wavenumber(w)
    return curves


# %% The picture
def plot(path, sizes, table):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for column, name in enumerate(("numpy.gradient", "C4", "C6", "C8")):
        left.loglog(sizes, table[:, column], "o-", label=name)
    left.set(xlabel="points", ylabel="largest error", title="df/dx of six waves")
    left.legend()
    w = np.linspace(0, np.pi, 200)
    right.plot(w, w, "k:", label="exact")
    for name, curve in modified_wavenumbers(w).items():
        right.plot(w, curve, label=name)
    right.set(xlabel="wavenumber (radians per cell)", ylabel="modified wavenumber")
    right.legend()
    figure.savefig(path, dpi=110)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--png")
    png = arguments.parse_args().png
    sizes = [48, 96, 192, 384]
    table = errors(sizes)
    print("points  numpy.gradient      C4         C6         C8")
    for n, row in zip(sizes, table):
        print(f"{n:6d}" + "".join(f"  {e:9.2e}" for e in row))
    assert table[-1, 2] < 1e-4 * table[-1, 0]
    if png:
        plot(png, sizes, table)


if __name__ == "__main__":
    main()
