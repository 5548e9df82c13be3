// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace tridia::cpu {

/// These functions return the bytes of a core's caches: the second-level one, and the last one,
/// which it may share; a usual size where the system does not say.
std::size_t near_cache_bytes();
std::size_t last_cache_bytes();

}  // namespace tridia::cpu
