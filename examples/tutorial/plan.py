# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import tridia

nx, n, nz, r = 64, 100, 48, 50.0
line = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
u = np.empty((nx, n, nz))
u[:] = line[:, None]

step_matrix = tridia.NearToeplitz((-r, 1 + 2 * r, -r))  # every row is the same
plan = tridia.Plan(u.shape, u.dtype, axis=1, pivoting=False, coefficients=step_matrix)
workspace = np.empty(plan.workspace_bytes, np.uint8)
for step in range(10):  # nothing is allocated here
    plan.execute_constant(u, out=u, workspace=workspace)
print(f"{u.max():.6f}")
