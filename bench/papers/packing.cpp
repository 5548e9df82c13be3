// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "papers.hpp"

#include "../cuda/solvers.hpp"

namespace tridia_bench {
namespace {

using tridia::algorithm;
using tridia::pivoting;
using tridia::value_type;

/// This is the number of all rows: the paper does not say how many systems it solves.
constexpr index_t kRows = index_t{1} << 22;

}  // namespace

void add_packing(suite& s) {
  for (const value_type type : {value_type::f32, value_type::f64}) {
    for (const index_t n : {512, 1024, 2048, 4096}) {
      const systems_spec spec{.type = type, .n = n, .batch = kRows / n, .seed = s.options.seed};
      for (const int depth : {2, 4, 8, 16, 32}) {
        add_tridia(s, spec, pivoting::none, {algorithm::packed_cr, {.packing_depth = depth}});
      }
      for (const algorithm a :
           {algorithm::automatic, algorithm::cr, algorithm::crnbc, algorithm::pcr,
            algorithm::cr_pcr, algorithm::pcr_thomas, algorithm::hierarchical}) {
        add_tridia(s, spec, pivoting::none, {.algorithm = a});
      }
    }
  }
}

}  // namespace tridia_bench
