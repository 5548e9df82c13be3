# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
python3 -c "
import numpy as np
np.save('off.npy', np.full(100, -1.0))
np.save('d.npy', np.full(100, 4.0))
np.save('field.npy', np.full((64, 100, 48), 2.0))"
tridia solve --dl off.npy --d d.npy --du off.npy --rhs field.npy --out x.npy --axis 1
python3 -c "import numpy as np; print('%.6f' % np.load('x.npy')[0, 50, 0])"  # 1.000000
