// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/tensor_map.hpp"

#include "gpu/driver.hpp"

#include <algorithm>
#include <iterator>

namespace tridia::gpu {

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
  return tiled(&map,
               t.word == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3,
               const_cast<void*>(t.first), extents, strides, box, every,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               t.brought_near == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                                     : CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace tridia::gpu
