# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import tridia

field = np.full((64, 100, 48), 2.0)
x = tridia.solve(-1.0, 4.0, -1.0, field, axis=1)  # lines along the middle axis
print(f"{x[0, 50, 0]:.6f}")  # 1.000000
