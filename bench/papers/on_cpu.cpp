// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "on_cpu.hpp"

#include "../cases_cpu.hpp"

#include <omp.h>

#include <set>
#include <stdexcept>

namespace tridia_bench {
namespace {

using tridia::pivoting;
using tridia::value_type;

std::set<int> thread_counts() { return {1, omp_get_max_threads()}; }

}  // namespace

std::vector<std::pair<index_t, index_t>> table_4_1_sizes() {
  std::vector<std::pair<index_t, index_t>> sizes;
  for (const index_t n : {32, 64, 128, 256, 512, 1024, 2048}) sizes.emplace_back(n, n);
  for (const index_t n : {32, 64, 128, 256, 512}) sizes.emplace_back(n, n * n);
  return sizes;
}

void add_hybrid_on_cpu(suite& s, value_type type, const std::vector<gtsv_peer>& peers) {
  constexpr int repetitions = 15;
  const systems_spec spec{
      .type = type, .n = kHybridRows, .batch = kHybridSystems, .seed = s.options.seed};
  for (const int threads : thread_counts()) {
    add_tridia_cpu(s, spec, pivoting::none, threads, repetitions);
    for (const gtsv_peer& peer : peers) add_peer(s, peer, spec, threads, repetitions);
  }
}

void add_neato_on_cpu(suite& s, index_t n, index_t batch, const std::vector<gtsv_peer>& peers) {
  constexpr int repetitions = 9;
  const systems_spec systems{.n = n, .batch = batch, .seed = s.options.seed};
  systems_spec constants = systems, one_matrix = systems;
  constants.coefficients = tridia::coefficients::constant;
  one_matrix.coefficients = tridia::coefficients::shared;
  for (const int threads : thread_counts()) {
    add_tridia_cpu(s, constants, pivoting::none, threads, repetitions);
    for (const gtsv_peer& peer : peers) {
      add_peer(s, peer, systems, threads, repetitions);
      add_peer_of_many(s, peer, one_matrix, threads, repetitions);
    }
  }
}

void add_experiment_on_cpu(suite& s, const std::string& name, const std::vector<gtsv_peer>& peers) {
  if (name == "hybrid") {
    for (const value_type type : {value_type::f32, value_type::f64})
      add_hybrid_on_cpu(s, type, peers);
  } else if (name == "neato") {
    for (const auto& [n, batch] : table_4_1_sizes()) add_neato_on_cpu(s, n, batch, peers);
  } else {
    throw std::runtime_error("reproduce: \"" + name +
                             "\" has no part on a CPU; hybrid and neato have");
  }
}

}  // namespace tridia_bench
