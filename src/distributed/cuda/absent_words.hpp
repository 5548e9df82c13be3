// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/direct_way.hpp"
#include "gpu/check.hpp"
#include "gpu/peer/absent_byte.hpp"

#include <cstddef>

namespace tridia::distributed {

/// Makes all words absent that a direct way brings to a place. Nobody may send yet.
inline void clear_words(const direct_way::place& from) {
  for (std::size_t place = 0; place < 2; ++place) {
    gpu::check(cudaMemset(static_cast<std::byte*>(from.at) + place * from.jump, gpu::absent_byte,
                          from.bytes),
               "cudaMemset");
  }
}

}  // namespace tridia::distributed
