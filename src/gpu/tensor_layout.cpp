// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/tensor_layout.hpp"

#include "gpu/device_limits.hpp"

#include <climits>
#include <cstdint>

namespace tridia::gpu {
namespace {

constexpr index_t granule = 16;
/// A box has at most so many words or rows in each dimension.
constexpr int most_box = 256;
constexpr index_t longest_stride = index_t{1} << 40;

std::size_t word_of(std::size_t size) { return size == 16 ? 8 : size; }

/// Returns whether the TMA can move the boxes; indices in a tensor are ints.
bool is_possible(const tensor_layout& t) {
  if (reinterpret_cast<std::uintptr_t>(t.first) % std::uintptr_t{granule} != 0) return false;
  for (const index_t extent : t.extents) {
    if (extent < 1 || extent > INT_MAX) return false;
  }
  for (const index_t stride : t.strides) {
    if (stride <= 0 || stride % granule != 0 || stride >= longest_stride) return false;
  }
  for (const int box : t.box) {
    if (box < 1 || box > most_box) return false;
  }
  return t.box[0] * static_cast<index_t>(t.word) % granule == 0;
}
std::optional<tensor_layout> if_possible(const tensor_layout& t) {
  return is_possible(t) ? std::optional(t) : std::nullopt;
}

}  // namespace

std::optional<tensor_layout> layout_of_rows(const layout::axes& m, layout::array a,
                                            const layout::along& line, const void* first,
                                            index_t rows, int systems, int box_rows,
                                            std::size_t size) {
  if (m.count == 0 || m.count > 2 || m.at[m.count - 1].stride[a] != 1) return {};
  const auto bytes = [&](index_t elements) { return elements * static_cast<index_t>(size); };
  const index_t neighbours = m.at[m.count - 1].extent;
  // The TMA stores whole granules.
  if (a == layout::x && bytes(neighbours) % granule != 0) return {};
  const int words = static_cast<int>(size / word_of(size));
  const bool has_outer = m.count > 1 && m.at[0].stride[a] != 0;
  // The second-level cache fetches more for neighbouring blocks; more than a cache line slows down
  // short rows.
  const bool is_short = bytes(systems) < cache_line;
  return if_possible(
      {.first = first,
       .word = word_of(size),
       .extents = {neighbours * words, rows, has_outer ? m.at[0].extent : 1},
       .strides = {bytes(line.step), bytes(has_outer ? m.at[0].stride[a] : line.step)},
       .box = {systems * words, box_rows, 1},
       .brought_near = is_short ? 128 : 256});
}

std::optional<tensor_layout> layout_of_lines(const layout::axes& batch, layout::array a,
                                             const void* first, index_t rows, int lines, int pitch,
                                             std::size_t size) {
  if (batch.count != 1 || rows * static_cast<index_t>(size) % granule != 0) return {};
  const int words = static_cast<int>(size / word_of(size));
  const index_t line = batch.at[0].stride[a] * static_cast<index_t>(size);
  return if_possible({.first = first,
                      .word = word_of(size),
                      .extents = {rows * words, batch.at[0].extent, 1},
                      .strides = {line, line},
                      .box = {pitch * words, lines, 1},
                      .brought_near = 256});
}

}  // namespace tridia::gpu
