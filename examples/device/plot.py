#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws what the examples have found, from the files of columns that they wrote.

    examples/device/plot.py FOLDER PICTURE.png

FOLDER has adi_diffusion.txt, black_scholes.txt, crweno.txt, ocean_mixing.txt and product_derivative.txt.
Needs matplotlib.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def columns(path):
    return list(zip(*(map(float, line.split()) for line in path.read_text().splitlines())))


def main(folder, picture):
    folder = Path(folder)
    figure, axes = plt.subplots(1, 5, figsize=(17, 3.4), layout="constrained")

    x, u, found, expected = columns(folder / "adi_diffusion.txt")
    axes[0].plot(x, u, ":", label="u at first")
    axes[0].plot(x, expected, label="known")
    axes[0].plot(x, found, ".", markevery=8, label="found")
    axes[0].set(title="diffusion by ADI", xlabel="x")

    spot, price, expected = columns(folder / "black_scholes.txt")
    axes[1].plot(spot, expected, label="closed formula")
    axes[1].plot(spot, price, ".", markevery=8, label="found")
    axes[1].set(title="price of a put", xlabel="price / strike")

    x, box, found = columns(folder / "crweno.txt")
    axes[2].plot(x, box, label="known")
    axes[2].plot(x, found, ".", markersize=2, label="found, after a period")
    axes[2].set(title="advection by CRWENO5", xlabel="x")

    depth, u, u_now, t, t_now = columns(folder / "ocean_mixing.txt")
    axes[3].plot(u, depth, ":", label="velocity, m/s")
    axes[3].plot(u_now, depth, label="after an hour")
    axes[3].plot([v / 20 for v in t], depth, ":", label="temperature / 20 K")
    axes[3].plot([v / 20 for v in t_now], depth, label="after an hour")
    axes[3].set(title="ocean columns", ylabel="depth, m", ylim=(300, 0))

    x, found, expected = columns(folder / "product_derivative.txt")
    axes[4].plot(x, expected, label="known")
    axes[4].plot(x, found, ".", markevery=16, label="found")
    axes[4].set(title="d(uv)/dx", xlabel="x")
    for a in axes:
        a.legend(fontsize=7)
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
