// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"

// CRNBC is CR without bank conflicts (Goeddeke and Strzodka 2011): equations lie with gaps in
// shared memory. With a switch point it is CRNBC-PCR: PCR solves what is left.
namespace tridia::cuda {

using namespace gpu;

cyclic_shape plan_crnbc(const task& t, const device_limits& d) {
  return plan_hybrid(t, cyclic_variant::padded_cr_pcr, 1, d);
}

std::unique_ptr<const method> make_crnbc(const task& t, const device_limits& d) {
  return make_cyclic(t, plan_crnbc(t, d), d);
}

}  // namespace tridia::cuda
