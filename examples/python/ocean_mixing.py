#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Ocean columns with implicit vertical mixing: a storm deepens the mixed layer.

Temperature T(z) of many columns obeys dT/dt = d/dz (K dT/dz), with a diffusivity K that is large
where wind stirs. Steps are far longer than an explicit method could take, so that each is one
tridiagonal solve in every column.

    ocean_mixing.py [--png FILE]
"""

# %% A field of columns: depth, latitude, longitude, as models store it
import argparse

import numpy as np

import tridia

LEVELS, LATITUDES, LONGITUDES = 60, 40, 80
HOUR = 3600.0


def columns():
    dz = np.linspace(2.0, 12.0, LEVELS)  # thicker towards the bottom, metres
    z = np.cumsum(dz) - dz / 2
    surface = 16 + 8 * np.cos(np.linspace(-1.2, 1.2, LATITUDES))[:, None]
    temperature = 6 + (surface - 6) * np.exp(-z / 80)[:, None, None]
    return dz, z, np.ascontiguousarray(
        np.broadcast_to(temperature, (LEVELS, LATITUDES, LONGITUDES)))


# %% A storm track: mixing that is strong near the surface, below a moving centre
def diffusivity(z, hour):
    y = np.linspace(-1, 1, LATITUDES)[:, None]
    x = np.linspace(0, 2, LONGITUDES)
    wind = np.exp(-8 * (y - 0.3 * np.sin(3 * x)) ** 2 - 8 * (x - hour / 24) ** 2)
    return 1e-5 + 0.05 * wind * np.exp(-z / 25)[:, None, None]


# %% One backward Euler step: the matrix of every column is its own
def step(temperature, dz, k, dt):
    between = (k[:-1] + k[1:]) / (dz[:-1] + dz[1:])[:, None, None]  # K / distance of centres
    thickness = dz[:, None, None]
    dl = -dt * between / thickness[1:]
    du = -dt * between / thickness[:-1]
    d = np.ones_like(temperature)
    d[1:] -= dl
    d[:-1] -= du
    # Off-diagonals are one shorter; the systems lie along the first axis.
    return tridia.solve(dl, d, du, temperature, axis=0, pivoting=False)


# %% Two days
def simulate(hours=48):
    dz, z, start = columns()
    temperature = start
    for hour in range(hours):
        temperature = step(temperature, dz, diffusivity(z, hour), HOUR)
    return dz, z, start, temperature


# %% The picture
def plot(path, z, start, end):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    image = left.imshow(end[0] - start[0], origin="lower", cmap="RdBu_r", vmin=-4, vmax=4)
    left.set(title="change at the surface (K)", xlabel="longitude", ylabel="latitude")
    figure.colorbar(image, ax=left)
    coldest = np.unravel_index(np.argmin((end - start)[0]), start[0].shape)
    right.plot(start[(slice(None), *coldest)], -z, "k:", label="before")
    right.plot(end[(slice(None), *coldest)], -z, label="after two days")
    right.set(title="below the storm", xlabel="temperature (°C)", ylabel="z (m)")
    right.legend()
    figure.savefig(path, dpi=110)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--png")
    png = arguments.parse_args().png
    dz, z, start, end = simulate()
    heat = [float((t * dz[:, None, None]).sum()) for t in (start, end)]
    print(f"{start[0].size} columns of {LEVELS} levels: heat changed by "
          f"{abs(heat[1] / heat[0] - 1):.1e}, the surface by up to {(end - start)[0].min():.2f} K")
    assert abs(heat[1] / heat[0] - 1) < 1e-12
    assert end.min() >= start.min() - 1e-9 and end.max() <= start.max() + 1e-9
    if png:
        plot(png, z, start, end)


if __name__ == "__main__":
    main()
