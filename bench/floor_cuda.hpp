// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia_bench {

/// The copy floor of the current GPU, in bytes a second. Throws where there is none.
double device_copy_bytes_per_second();

}  // namespace tridia_bench
