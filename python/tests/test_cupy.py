# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Arrays of CuPy, which need a GPU."""

import numpy as np
import pytest

import tridia

cupy = pytest.importorskip("cupy")
if not tridia.info()["cuda_devices"]:
    pytest.skip("needs a GPU", allow_module_level=True)


def test_values(rng):
    b = cupy.asarray(rng.random((3, 6, 2)))
    d = cupy.asarray(4 + rng.random((3, 6, 2)))[::-1]
    x = tridia.solve(-1.0, d, -1.0, b, axis=1)
    assert isinstance(x, cupy.ndarray)
    np.testing.assert_allclose(x.get(), tridia.solve(-1.0, d.get(), -1.0, b.get(), axis=1))
    np.testing.assert_allclose(tridia.derivative(b, axis=1, scheme="C4").get(),
                               tridia.derivative(b.get(), axis=1, scheme="C4"), atol=1e-12)


def test_mixed_places_are_refused(rng):
    with pytest.raises(TypeError, match="arrays of one framework are needed"):
        tridia.solve(np.ones(4), cupy.ones(4), cupy.ones(4), cupy.ones(4))
    with pytest.raises((TypeError, ValueError), match="cuda:0"):
        tridia.Plan((4,), "f8").execute(*(cupy.ones(4),) * 4)
