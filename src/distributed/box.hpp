// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <vector>

namespace tridia::distributed {

/// Some points of a strided array, `first` elements from where a pointer points to.
struct box {
  std::vector<index_t> extents, strides;
  index_t first;

  [[nodiscard]] std::size_t points() const;
};

/// Elements of `size` bytes (4, 8 or 16), from an array into one piece of memory in C order, and
/// back.
void pack(const box&, std::size_t size, const void* array, void* packed);
void unpack(const box&, std::size_t size, const void* packed, void* array);

}  // namespace tridia::distributed
