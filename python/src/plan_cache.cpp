// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "plan_cache.hpp"

#include <cstdint>

namespace tridia::python {

std::size_t plan_key_hash::operator()(const plan_key& key) const noexcept {
  std::uint64_t h = 0x9e3779b97f4a7c15U;
  for (const index_t v : key) {
    h = (h ^ static_cast<std::uint64_t>(v)) * 0xff51afd7ed558ccdU;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace tridia::python
