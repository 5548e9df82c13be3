// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/partition/tensor_maps.hpp"

namespace tridia::cuda {

using namespace gpu;

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
    maps.input = maps.input && (!is_boxed(g, s, a) || map(a, o.in[a], maps.in[a]));
  }
  maps.output = map(layout::x, o.x, maps.out[0]);
  return maps;
}

}  // namespace

tensor_maps map_tensors(const layout::geometry& g, const solver::operands& o,
                        const interleaved_shape& s, std::size_t size) {
  return map_all(g, o, s, size);
}

tensor_maps map_tensors(const layout::geometry& g, const solver::operands& o, const onchip_shape& s,
                        std::size_t size) {
  return map_all(g, o, s, size);
}

}  // namespace tridia::cuda
