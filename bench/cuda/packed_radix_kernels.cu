// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "packed_radix_kernels.hpp"

#include "solver/cuda/named/packed_cr.cuh"

namespace tridia_bench {

tridia::cuda::packed_launches packed_radix_4_kernels(tridia::value_type type) {
  return type == tridia::value_type::f32 ? tridia::cuda::packed_launches_of<float, 4>()
                                         : tridia::cuda::packed_launches_of<double, 4>();
}

}  // namespace tridia_bench
