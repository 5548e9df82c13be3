// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reference/named/makers.hpp"

namespace tridia::solver::named {

std::unique_ptr<const executor> make_named(const task& t) {
  switch (t.options.algorithm) {
    case algorithm::cr:
      return make_cr(t);
    case algorithm::crnbc:
      return make_crnbc(t);
    case algorithm::pcr:
      return make_pcr(t);
    case algorithm::cr_pcr:
      return make_cr_pcr(t);
    case algorithm::pcr_thomas:
      return make_pcr_thomas(t);
    case algorithm::packed_cr:
      return make_packed_cr(t);
    case algorithm::hierarchical:
      return make_hierarchical(t);
    case algorithm::neato:
      return make_neato(t);
    default:
      return nullptr;
  }
}

}  // namespace tridia::solver::named
