// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/tensor_maps.hpp"

#include "solver/cuda/driver.hpp"

#include <algorithm>
#include <iterator>

namespace tridia::cuda {
namespace {

template <class Shape>
tensor_maps map_all(const layout::geometry& g, const solver::operands& o, const Shape& s,
                    std::size_t size) {
  const auto map = [&](layout::array a, const void* data, CUtensorMap& to) {
    const auto t = layout_of(g, s, size, a, data);
    return t && encode(*t, to);
  };
  tensor_maps maps{};
  maps.input = true;
  for (const auto a : {layout::sub, layout::diag, layout::sup, layout::rhs}) {
    maps.input = maps.input && map(a, o.in[a], maps.in[a]);
  }
  maps.output = map(layout::x, o.x, maps.x);
  return maps;
}

}  // namespace

bool encode(const tensor_layout& t, CUtensorMap& map) {
  static const auto tiled =
      driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  if (tiled == nullptr) return false;
  cuuint64_t extents[3], strides[2];
  cuuint32_t box[3];
  std::copy(std::begin(t.extents), std::end(t.extents), extents);
  std::copy(std::begin(t.strides), std::end(t.strides), strides);
  std::copy(std::begin(t.box), std::end(t.box), box);
  constexpr cuuint32_t every[] = {1, 1, 1};
  return tiled(&map, t.word == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32 : CU_TENSOR_MAP_DATA_TYPE_UINT64,
               3, const_cast<void*>(t.first), extents, strides, box, every,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               t.brought_near == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                                     : CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

tensor_maps map_tensors(const layout::geometry& g, const solver::operands& o,
                        const interleaved_shape& s, std::size_t size) {
  return map_all(g, o, s, size);
}

tensor_maps map_tensors(const layout::geometry& g, const solver::operands& o, const onchip_shape& s,
                        std::size_t size) {
  return map_all(g, o, s, size);
}

}  // namespace tridia::cuda
