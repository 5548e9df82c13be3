# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import solve_banded

rng = np.random.default_rng(7)
d, b = rng.uniform(3, 4, (50, 64)), rng.uniform(-1, 1, (50, 64))
x = np.empty_like(b)
for k in range(len(b)):  # a system at a time
    ab = np.array([np.full(64, -1.0), d[k], np.full(64, -1.0)])
    x[k] = solve_banded((1, 1), ab, b[k])
spline = CubicSpline(np.arange(64), b, axis=1, bc_type="natural")
print(f"{x.sum():.6f} {spline(20.5).sum():.6f}")
