// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "papers.hpp"

#include "../cases_cpu.hpp"
#include "../cuda/solvers.hpp"
#include "../cuda/transfer.hpp"

#include <omp.h>

namespace tridia_bench {
namespace {

using tridia::algorithm;
using tridia::pivoting;
using tridia::value_type;

constexpr index_t kRows = 1024, kSystems = 1024;

void add_switch_points(suite& s, const systems_spec& spec) {
  for (const algorithm a : {algorithm::cr_pcr, algorithm::pcr_thomas}) {
    for (int rows = 1; rows <= kRows; rows *= 2) {
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
  constexpr int repetitions = 15;
  for (const gtsv_peer& peer : peers) {
    for (const int threads : {1, omp_get_max_threads()}) {
      add_peer(s, peer, spec, threads, repetitions);
    }
  }
  add_transfer(s, spec);
}

}  // namespace

void add_hybrid(suite& s, const std::vector<gtsv_peer>& peers) {
  for (const value_type type : {value_type::f32, value_type::f64}) {
    const systems_spec spec{.type = type, .n = kRows, .batch = kSystems, .seed = s.options.seed};
    add_switch_points(s, spec);
    add_all(s, spec, peers);
  }
}

}  // namespace tridia_bench
