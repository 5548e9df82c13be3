// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"

#include <algorithm>

// CR reduces until `switch_point` equations are left, which PCR solves (Zhang et al. 2010).
namespace tridia::cuda {

using namespace gpu;

namespace {

/// Returns the caller's switch point, or else the one that was measured at 512 to 4096 rows.
index_t switch_point(const task& t) {
  const int asked = t.options.parameters.switch_point;
  return asked > 0 ? asked : std::clamp<index_t>(t.geometry.rows / 4, 64, 256);
}

}  // namespace

cyclic_shape plan_cr_pcr(const task& t, std::size_t shared_bytes) {
  return plan_cyclic(t, cyclic_variant::cr_pcr, switch_point(t), shared_bytes);
}

std::unique_ptr<const method> make_cr_pcr(const task& t, const device_limits& d) {
  return make_cyclic(t, plan_cr_pcr(t, d.shared_bytes), d);
}

}  // namespace tridia::cuda
