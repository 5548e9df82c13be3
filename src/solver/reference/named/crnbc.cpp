// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reference/named/cyclic.hpp"
#include "solver/reference/named/makers.hpp"

// CRNBC is CR whose equations lie with gaps, as they have to in a GPU's shared memory for rows a
// power of two apart to be in different banks (Goeddeke and Strzodka 2011). The numbers are those
// of CR. With a switch point it is CRNBC-PCR.
namespace tridia::solver::named {

std::unique_ptr<const executor> make_crnbc(const task& t) {
  return make_cr_until<padded_places>(t, std::max(t.options.parameters.switch_point, 1));
}

}  // namespace tridia::solver::named
