// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"
#include "solver/default_parameters.hpp"

// PCR runs until its independent systems have `switch_point` rows; then one thread solves each by
// Thomas (Zhang, Cohen, Davidson and Owens 2011).
namespace tridia::cuda {

using namespace gpu;

cyclic_shape plan_pcr_thomas(const task& t, const device_limits& d) {
  return plan_hybrid(t, cyclic_variant::pcr_thomas, solver::default_thomas_switch_point, d);
}

std::unique_ptr<const method> make_pcr_thomas(const task& t, const device_limits& d) {
  return make_cyclic(t, plan_pcr_thomas(t, d), d);
}

}  // namespace tridia::cuda
