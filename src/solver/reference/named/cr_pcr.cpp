// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reference/named/cyclic.hpp"
#include "solver/reference/named/makers.hpp"

// CR reduces until `switch_point` equations are left, which PCR solves (Zhang et al. 2010).
namespace tridia::solver::named {

std::unique_ptr<const executor> make_cr_pcr(const task& t) {
  const int asked = t.options.parameters.switch_point;
  // The default is that of a GPU, where it was measured.
  return make_cr_until<plain_places>(
      t, asked > 0 ? asked : std::clamp<index_t>(t.geometry.rows / 4, 64, 256));
}

}  // namespace tridia::solver::named
