#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws what the example `vortex` wrote: the pressure after a period, and how far it is from where
it began, along the middle of the box.

    examples/vortex.py pressure.npy pressure.png
"""

import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

LENGTH, GAMMA = 10.0, 1.4


def exact(x, y):
    swirl = 5 / (2 * np.pi) * np.exp((1 - x**2 - y**2) / 2)
    return (1 - (GAMMA - 1) / (2 * GAMMA) * swirl**2) ** (GAMMA / (GAMMA - 1))


pressure = np.load(sys.argv[1])
x = LENGTH * np.arange(len(pressure)) / len(pressure) - LENGTH / 2
figure, (field, middle) = pyplot.subplots(1, 2, figsize=(10, 4))
figure.colorbar(field.contourf(x, x, pressure.T, 20), ax=field)
field.set(xlabel="x", ylabel="y", title="pressure after a period", aspect="equal")
middle.plot(x, exact(x, 0), "k-", label="exact")
middle.plot(x, pressure[:, len(x) // 2], "o", markersize=3, label="C6, F8")
middle.set(xlabel="x", ylabel="pressure", title="along the middle")
middle.legend()
figure.tight_layout()
figure.savefig(sys.argv[2], dpi=80)
