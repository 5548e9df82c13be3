// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reference/named/cyclic.hpp"
#include "solver/reference/named/makers.hpp"

// PCR is parallel cyclic reduction: every equation takes part in every step, until each holds one
// unknown (Hockney and Jesshope 1981).
namespace tridia::solver::named {

std::unique_ptr<const executor> make_pcr(const task& t) {
  return make_cr_until<plain_places>(t, t.geometry.rows);
}

}  // namespace tridia::solver::named
