# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import tridia

nx, n, nz, r = 64, 100, 48, 50.0
line = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
u = np.empty((nx, n, nz))
u[:] = line[:, None]
for step in range(10):
    tridia.solve(-r, 1 + 2 * r, -r, u, axis=1, pivoting=False, out=u)  # in place
print(f"{u.max():.6f}")
