// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"

// PCR runs until its independent systems have `switch_point` rows; then one thread solves each by
// Thomas (Zhang, Cohen, Davidson and Owens 2011).
namespace tridia::cuda {

using namespace gpu;

index_t thomas_rows(const task& t) {
  constexpr int measured = 16;  // at 1024 rows
  const int asked = t.options.parameters.switch_point;
  return asked > 0 ? asked : measured;
}

cyclic_shape plan_pcr_thomas(const task& t, std::size_t shared_bytes) {
  return plan_cyclic(t, cyclic_variant::pcr_thomas, thomas_rows(t), shared_bytes);
}

std::unique_ptr<const method> make_pcr_thomas(const task& t, const device_limits& d) {
  return make_cyclic(t, plan_pcr_thomas(t, d.shared_bytes), d);
}

}  // namespace tridia::cuda
