// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/default_parameters.hpp"
#include "solver/reference/named/cyclic.hpp"
#include "solver/reference/named/makers.hpp"

// CR reduces until `switch_point` equations are left, which PCR solves (Zhang et al. 2010).
namespace tridia::solver::named {

std::unique_ptr<const executor> make_cr_pcr(const task& t) {
  const int asked = t.options.parameters.switch_point;
  return make_cr_until<plain_places>(
      t, asked > 0 ? asked : default_cr_pcr_switch_point(t.geometry.rows));
}

}  // namespace tridia::solver::named
