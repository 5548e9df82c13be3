// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "papers.hpp"

#include "../cases_cpu.hpp"
#include "../cuda/solvers.hpp"

#include <omp.h>

namespace tridia_bench {
namespace {

using tridia::algorithm;
using tridia::neato_memory;
using tridia::pivoting;

/// These are the sizes of table 4.1: lines of a plane, then of a cube.
constexpr index_t kPlanes[] = {32, 64, 128, 256, 512, 1024, 2048};
constexpr index_t kCubes[] = {32, 64, 128, 256, 512};

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
  constexpr int repetitions = 9;
  for (const gtsv_peer& peer : peers) {
    for (const int threads : {1, omp_get_max_threads()}) {
      add_peer(s, peer, systems, threads, repetitions);
    }
  }
}

}  // namespace

void add_neato(suite& s, const std::vector<gtsv_peer>& peers) {
  for (const index_t n : kPlanes) add_size(s, n, n, peers);
  for (const index_t n : kCubes) add_size(s, n, n * n, peers);
}

}  // namespace tridia_bench
