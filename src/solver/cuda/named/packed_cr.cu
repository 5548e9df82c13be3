// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file is compiled once for each value type, TRIDIA_VALUE.
#include "solver/cuda/named/packed_cr.cuh"

namespace tridia::cuda {

template <class V>
packed_launches packed_kernels() {
  return packed_launches_of<V, 2>();
}
template packed_launches packed_kernels<TRIDIA_VALUE>();

}  // namespace tridia::cuda
