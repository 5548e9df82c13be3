// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"
#include "solver/default_parameters.hpp"

// CR reduces until `switch_point` equations are left, which PCR solves (Zhang et al. 2010).
namespace tridia::cuda {

using namespace gpu;

cyclic_shape plan_cr_pcr(const task& t, const device_limits& d) {
  return plan_hybrid(t, cyclic_variant::cr_pcr,
                     solver::default_cr_pcr_switch_point(t.geometry.rows), d);
}

std::unique_ptr<const method> make_cr_pcr(const task& t, const device_limits& d) {
  return make_cyclic(t, plan_cr_pcr(t, d), d);
}

}  // namespace tridia::cuda
