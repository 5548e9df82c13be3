// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/tensor_maps.hpp"

#include "solver/cuda/driver.hpp"

#include <climits>

namespace tridia::cuda {
namespace {

using layout::edge;
using layout::geometry;

constexpr std::uintptr_t granule = 16;
/// Of a box, in each dimension.
constexpr int most_box = 256;
constexpr cuuint64_t longest_stride = cuuint64_t{1} << 40;

/// Three dimensions of words, from the fastest on; `strides` in bytes.
bool encode_words(const void* first, std::size_t word, const cuuint64_t (&extents)[3],
                  const cuuint64_t (&strides)[2], const cuuint32_t (&box)[3],
                  CUtensorMapL2promotion near, CUtensorMap& map) {
  static const auto encode =
      driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  if (encode == nullptr || reinterpret_cast<std::uintptr_t>(first) % granule != 0) return false;
  for (const cuuint64_t extent : extents) {
    if (extent > INT_MAX) return false;  // places are ints
  }
  for (const cuuint64_t stride : strides) {
    if (stride == 0 || stride % granule != 0 || stride >= longest_stride) return false;
  }
  constexpr cuuint32_t every[] = {1, 1, 1};
  return encode(&map, word == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32 : CU_TENSOR_MAP_DATA_TYPE_UINT64,
                3, const_cast<void*>(first), extents, strides, box, every,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, near,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
std::size_t word_of(std::size_t size) { return size == 16 ? 8 : size; }

bool map_array(const geometry& g, const interleaved_shape& s, std::size_t size, layout::array a,
               const void* array, CUtensorMap& map) {
  const bool cut = (a == layout::sub || a == layout::sup) && g.corners != edge::inside;
  const index_t skipped = cut && a == layout::sub ? 1 : 0;
  const layout::along& line = g.lines[a];
  const void* const first = static_cast<const std::byte*>(array) +
                            (line.origin + skipped * line.step) * static_cast<index_t>(size);
  return map_rows(g.matrices, a, line, first, g.rows - (cut ? 1 : 0), s.systems, s.box_rows, size,
                  map);
}

}  // namespace

bool map_rows(const layout::axes& m, layout::array a, const layout::along& line, const void* first,
              index_t rows, int systems, int box_rows, std::size_t size, CUtensorMap& map) {
  if (m.count == 0 || m.count > 2 || m.at[m.count - 1].stride[a] != 1) return false;
  const auto bytes = [&](index_t elements) { return elements * static_cast<index_t>(size); };
  const index_t outer = bytes(m.count > 1 ? m.at[0].stride[a] : line.step);
  const index_t row = bytes(line.step), across = m.at[m.count - 1].extent;
  if (row <= 0 || outer <= 0) return false;
  // Whole granules are stored.
  if (a == layout::x && bytes(across) % index_t{granule} != 0) return false;
  const std::size_t word = word_of(size), words = size / word;
  // What is brought near for the neighbours' sake; more of it than a line is in the way of short
  // rows.
  const auto near = static_cast<std::size_t>(systems) * size < cache_line
                        ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                        : CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
  return encode_words(first, word,
                      {static_cast<cuuint64_t>(across) * words, static_cast<cuuint64_t>(rows),
                       static_cast<cuuint64_t>(m.count > 1 ? m.at[0].extent : 1)},
                      {static_cast<cuuint64_t>(row), static_cast<cuuint64_t>(outer)},
                      {static_cast<cuuint32_t>(static_cast<std::size_t>(systems) * words),
                       static_cast<cuuint32_t>(box_rows), 1},
                      near, map);
}

bool map_lines(const layout::axes& batch, layout::array a, const void* first, index_t rows,
               int lines, int pitch, std::size_t size, CUtensorMap& map) {
  if (batch.count != 1) return false;
  const std::size_t word = word_of(size), words = size / word;
  const index_t line = batch.at[0].stride[a] * static_cast<index_t>(size);
  const std::size_t box = static_cast<std::size_t>(pitch) * words;
  if (line <= 0 || box > most_box || lines > most_box ||
      static_cast<std::size_t>(pitch) * size % granule != 0 ||
      static_cast<std::size_t>(rows) * size % granule != 0) {
    return false;
  }
  return encode_words(
      first, word,
      {static_cast<cuuint64_t>(rows) * words, static_cast<cuuint64_t>(batch.at[0].extent), 1},
      {static_cast<cuuint64_t>(line), static_cast<cuuint64_t>(line)},
      {static_cast<cuuint32_t>(box), static_cast<cuuint32_t>(lines), 1},
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, map);
}

tensor_maps map_tensors(const geometry& g, const solver::operands& o, const interleaved_shape& s,
                        std::size_t size) {
  tensor_maps maps{};
  maps.input = true;
  for (const auto a : {layout::sub, layout::diag, layout::sup, layout::rhs}) {
    maps.input = maps.input && map_array(g, s, size, a, o.in[a], maps.in[a]);
  }
  maps.output = map_array(g, s, size, layout::x, o.x, maps.x);
  return maps;
}

tensor_maps map_tensors(const geometry& g, const solver::operands& o, const onchip_shape& s,
                        std::size_t size) {
  const auto map = [&](layout::array a, const void* array, CUtensorMap& to) {
    return map_lines(g.matrices, a, array, g.rows, s.systems, s.pitch, size, to);
  };
  tensor_maps maps{};
  maps.input = true;
  for (const auto a : {layout::sub, layout::diag, layout::sup, layout::rhs}) {
    maps.input = maps.input && map(a, o.in[a], maps.in[a]);
  }
  maps.output =
      g.lines[layout::x].step == 1 && g.lines[layout::x].origin == 0 && map(layout::x, o.x, maps.x);
  return maps;
}

}  // namespace tridia::cuda
