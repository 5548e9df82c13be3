// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/box.hpp"

#include "tridia/error.hpp"

#include <algorithm>
#include <string>

namespace tridia::distributed {
namespace {

box_copy copy_of(const box& b, std::size_t size, void* array, void* packed, bool packs) {
  if (b.extents.size() > layout::max_axes) {
    throw error(errc::unsupported, "decomposition: has " + std::to_string(b.extents.size()) +
                                       " axes; halos have at most " +
                                       std::to_string(layout::max_axes));
  }
  box_copy c{};
  c.axes = static_cast<int>(b.extents.size());
  std::copy(b.extents.begin(), b.extents.end(), c.extents);
  std::copy(b.strides.begin(), b.strides.end(), c.strides);
  c.points = static_cast<index_t>(b.points());
  c.array = static_cast<std::byte*>(array) + b.first * static_cast<index_t>(size);
  c.packed = static_cast<std::byte*>(packed);
  c.packs = packs;
  return c;
}

}  // namespace

std::size_t box::points() const {
  std::size_t all = 1;
  for (const index_t e : extents) all *= static_cast<std::size_t>(e);
  return all;
}

box_copy packing(const box& b, std::size_t size, const void* array, void* packed) {
  return copy_of(b, size, const_cast<void*>(array), packed, true);
}
box_copy unpacking(const box& b, std::size_t size, const void* packed, void* array) {
  return copy_of(b, size, array, const_cast<void*>(packed), false);
}

}  // namespace tridia::distributed
