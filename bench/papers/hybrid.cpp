// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "papers.hpp"

#include "../cuda/solvers.hpp"
#include "../cuda/transfer.hpp"
#include "on_cpu.hpp"

namespace tridia_bench {
namespace {

using tridia::algorithm;
using tridia::pivoting;
using tridia::value_type;

void add_switch_points(suite& s, const systems_spec& spec) {
  for (const algorithm a : {algorithm::cr_pcr, algorithm::pcr_thomas}) {
    for (int rows = 1; rows <= kHybridRows; rows *= 2) {
      add_tridia(s, spec, pivoting::none, {a, {.switch_point = rows}});
    }
  }
}

void add_all(suite& s, const systems_spec& spec, const std::vector<gtsv_peer>& peers) {
  for (const algorithm a :
       {algorithm::automatic, algorithm::thomas, algorithm::cr, algorithm::crnbc, algorithm::pcr,
        algorithm::cr_pcr, algorithm::pcr_thomas, algorithm::packed_cr, algorithm::hierarchical}) {
    add_tridia(s, spec, pivoting::none, {.algorithm = a});
  }
  add_cusparse(s, spec, cusparse_method::strided);
  add_hybrid_on_cpu(s, spec.type, peers);
  add_transfer(s, spec);
}

}  // namespace

void add_hybrid(suite& s, const std::vector<gtsv_peer>& peers) {
  for (const value_type type : {value_type::f32, value_type::f64}) {
    const systems_spec spec{
        .type = type, .n = kHybridRows, .batch = kHybridSystems, .seed = s.options.seed};
    add_switch_points(s, spec);
    add_all(s, spec, peers);
  }
}

}  // namespace tridia_bench
