// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reference/named/cyclic.hpp"
#include "solver/reference/named/makers.hpp"

// Cyclic reduction eliminates half of the equations in each step, until one is left, and
// substitutes back in as many steps (Hockney 1965).
namespace tridia::solver::named {

std::unique_ptr<const executor> make_cr(const task& t) { return make_cr_until<plain_places>(t, 1); }

}  // namespace tridia::solver::named
