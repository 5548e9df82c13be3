# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import tridia

rng = np.random.default_rng(7)
d, b = rng.uniform(3, 4, (50, 64)), rng.uniform(-1, 1, (50, 64))
x = tridia.solve(-1.0, d, -1.0, b)  # all systems at once
spline = tridia.CubicSpline(np.arange(64), b, axis=1, bc_type="natural")
print(f"{x.sum():.6f} {spline(20.5).sum():.6f}")
