// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/box.hpp"

#include <cstring>

namespace tridia::distributed {
namespace {

/// Calls f(element in the array, number in C order, points along the last axis) for each row.
template <class F>
void for_each_row(const box& b, F f) {
  const std::size_t axes = b.extents.size();
  const auto along = b.extents.back();
  const auto rows = static_cast<index_t>(b.points()) / (along > 0 ? along : 1);
#pragma omp parallel for schedule(static) if (rows * along > 16384)
  for (index_t row = 0; row < rows; ++row) {
    index_t at = b.first, rest = row;
    for (std::size_t a = axes - 1; a-- > 0; rest /= b.extents[a]) {
      at += rest % b.extents[a] * b.strides[a];
    }
    f(at, row * along, along);
  }
}

/// Copies elements of `Size` bytes; `step` elements apart in the array.
template <std::size_t Size, bool Packs>
void copy(const box& b, std::byte* array, std::byte* packed) {
  const index_t step = b.strides.back();
  for_each_row(b, [&](index_t at, index_t number, index_t count) {
    std::byte* in_array = array + at * static_cast<index_t>(Size);
    std::byte* in_packed = packed + number * static_cast<index_t>(Size);
    for (index_t k = 0; k < count; ++k) {
      Packs ? std::memcpy(in_packed, in_array, Size) : std::memcpy(in_array, in_packed, Size);
      in_array += step * static_cast<index_t>(Size);
      in_packed += Size;
    }
  });
}

template <bool Packs>
void copy_elements(const box& b, std::size_t size, void* array, void* packed) {
  auto* const from = static_cast<std::byte*>(array);
  auto* const to = static_cast<std::byte*>(packed);
  size == 4   ? copy<4, Packs>(b, from, to)
  : size == 8 ? copy<8, Packs>(b, from, to)
              : copy<16, Packs>(b, from, to);
}

}  // namespace

std::size_t box::points() const {
  std::size_t all = 1;
  for (const index_t e : extents) all *= static_cast<std::size_t>(e);
  return all;
}

void pack(const box& b, std::size_t size, const void* array, void* packed) {
  copy_elements<true>(b, size, const_cast<void*>(array), packed);
}
void unpack(const box& b, std::size_t size, const void* packed, void* array) {
  copy_elements<false>(b, size, array, const_cast<void*>(packed));
}

}  // namespace tridia::distributed
