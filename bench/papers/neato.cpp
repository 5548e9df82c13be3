// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "papers.hpp"

#include "../cuda/solvers.hpp"
#include "on_cpu.hpp"

namespace tridia_bench {
namespace {

using tridia::algorithm;
using tridia::neato_memory;
using tridia::pivoting;

void add_size(suite& s, index_t n, index_t batch, const std::vector<gtsv_peer>& peers) {
  systems_spec constants{.n = n, .batch = batch, .seed = s.options.seed};
  constants.coefficients = tridia::coefficients::constant;
  add_tridia(s, constants, pivoting::none);
  for (const neato_memory m : {neato_memory::shared, neato_memory::global}) {
    add_tridia(s, constants, pivoting::none, {algorithm::neato, {.memory = m}});
  }
  // Solvers without constant coefficients read the matrix of every system.
  const systems_spec systems{.n = n, .batch = batch, .seed = s.options.seed};
  add_cusparse(s, systems, cusparse_method::strided);
  add_neato_on_cpu(s, n, batch, peers);
}

}  // namespace

void add_neato(suite& s, const std::vector<gtsv_peer>& peers) {
  for (const auto& [n, batch] : table_4_1_sizes()) add_size(s, n, batch, peers);
}

}  // namespace tridia_bench
