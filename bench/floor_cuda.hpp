// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia_bench {

/// Returns the copy floor of the current GPU, in bytes a second, where `reads` arrays (4 or 1) are
/// read and one is written. Throws if there is none.
double device_copy_bytes_per_second(int reads = 4);

}  // namespace tridia_bench
