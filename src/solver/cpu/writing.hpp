// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::cpu {

/// Up to so many threads leave memory with time to spare: a write is soonest done if its cache line
/// was asked for beforehand. More of them share what memory can do, and writing past the cache
/// spares it the reading of lines that are overwritten.
inline constexpr int threads_that_own_lines = 4;

}  // namespace tridia::cpu
