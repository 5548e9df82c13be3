# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Sets what has to be set before any test imports JAX."""

import os

# Four devices, so that the tests of sharded arrays run on a machine without a GPU.
os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                           " --xla_force_host_platform_device_count=4").strip()
