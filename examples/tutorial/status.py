# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import tridia

d = np.full((3, 4), 2.0)
d[1] = 0.0  # the second of three systems is singular
status = np.zeros(3, np.int64)
x = tridia.solve(0.0, d, 0.0, np.ones((3, 4)), status=status)
print(status, x[:, 0])  # [0 1 0] [0.5 nan 0.5]
