# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import tridia

n, r = 100, 50.0  # r = diffusivity * time step / spacing^2
u = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))  # u = 0 just beyond both ends
for step in range(10):
    u = tridia.solve(-r, 1 + 2 * r, -r, u)  # a backward Euler step
print(f"{u.max():.6f}")
