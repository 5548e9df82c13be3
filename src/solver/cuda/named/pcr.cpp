// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"

// PCR is parallel cyclic reduction (Hockney and Jesshope 1981; on a GPU Zhang et al. 2010): every
// equation takes part in every step, until each holds one unknown.
namespace tridia::cuda {

using namespace gpu;

cyclic_shape plan_pcr(const task& t, const device_limits& d) {
  return plan_cyclic(t, cyclic_variant::cr_pcr, t.geometry.rows, d.shared_bytes);
}

std::unique_ptr<const method> make_pcr(const task& t, const device_limits& d) {
  return make_cyclic(t, plan_pcr(t, d), d);
}

}  // namespace tridia::cuda
