// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"

// Cyclic reduction (Hockney 1965; on a GPU Zhang, Cohen and Owens 2010) eliminates half of the
// equations in each step, until one is left, and substitutes back in as many steps.
// core/cyclic_reduction.hpp has the arithmetic.
namespace tridia::cuda {

using namespace gpu;

cyclic_shape plan_cr(const task& t, const device_limits& d) {
  return plan_cyclic(t, cyclic_variant::cr_pcr, 1, d.shared_bytes);
}

std::unique_ptr<const method> make_cr(const task& t, const device_limits& d) {
  return make_cyclic(t, plan_cr(t, d), d);
}

}  // namespace tridia::cuda
