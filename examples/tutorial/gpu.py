# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import cupy as cp
import tridia

nx, n, nz, r = 64, 100, 48, 50.0
line = cp.sin(cp.pi * cp.arange(1, n + 1) / (n + 1))
u = cp.empty((nx, n, nz))
u[:] = line[:, None]
step_matrix = tridia.NearToeplitz((-r, 1 + 2 * r, -r))
for step in range(10):  # on CuPy's current stream; nothing waits
    step_matrix.solve(u, axis=1, pivoting=False, out=u)
print(f"{float(u.max()):.6f}")
