// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/tensor_maps.hpp"

#include <cuda_runtime_api.h>

#include <climits>

namespace tridia::cuda {
namespace {

using layout::edge;
using layout::geometry;

constexpr std::uintptr_t granule = 16;
constexpr cuuint64_t longest_stride = cuuint64_t{1} << 40;

using encoder = decltype(&cuTensorMapEncodeTiled);

/// Of the driver, so that the library need not be linked with it; null if it has none.
encoder find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  constexpr unsigned since = 12000;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, since,
                                       cudaEnableDefault, &result) != cudaSuccess ||
      result != cudaDriverEntryPointSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return reinterpret_cast<encoder>(function);
}

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

bool map_rows(const layout::axes& m, layout::array a, const layout::along& line, const void* array,
              index_t rows, int systems, int box_rows, std::size_t size, CUtensorMap& map) {
  static const encoder encode = find_encoder();
  if (encode == nullptr || m.count == 0 || m.count > 2 || m.at[m.count - 1].stride[a] != 1)
    return false;
  const auto bytes = [&](index_t elements) { return elements * static_cast<index_t>(size); };
  const auto first = reinterpret_cast<std::uintptr_t>(array);
  const index_t outer = m.count > 1 ? bytes(m.at[0].stride[a]) : bytes(line.step);
  const index_t row = bytes(line.step);
  if (first % granule != 0 || row <= 0 || outer <= 0) return false;
  // Whole granules are stored.
  if (a == layout::x && bytes(m.at[m.count - 1].extent) % index_t{granule} != 0) return false;

  const std::size_t word = size == 16 ? 8 : size;
  const auto words = static_cast<cuuint64_t>(size / word);
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(m.at[m.count - 1].extent) * words,
                                static_cast<cuuint64_t>(rows),
                                static_cast<cuuint64_t>(m.count > 1 ? m.at[0].extent : 1)};
  if (extents[0] > INT_MAX) return false;  // places in it are ints
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(row), static_cast<cuuint64_t>(outer)};
  for (const cuuint64_t stride : strides) {
    if (stride % granule != 0 || stride >= longest_stride) return false;
  }
  const cuuint32_t box[] = {static_cast<cuuint32_t>(systems) * static_cast<cuuint32_t>(words),
                            static_cast<cuuint32_t>(box_rows), 1};
  constexpr cuuint32_t every[] = {1, 1, 1};
  // What is brought near for the neighbours' sake; more of it than a line is in the way of short
  // rows.
  const auto near = static_cast<std::size_t>(systems) * size < cache_line
                        ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                        : CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
  return encode(&map, word == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32 : CU_TENSOR_MAP_DATA_TYPE_UINT64,
                3, reinterpret_cast<void*>(first), extents, strides, box, every,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, near,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
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

}  // namespace tridia::cuda
