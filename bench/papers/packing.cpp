// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "papers.hpp"

#include "../cuda/packed_radix.hpp"
#include "../cuda/solvers.hpp"

namespace tridia_bench {
namespace {

using tridia::algorithm;
using tridia::pivoting;
using tridia::value_type;

/// This is the number of all rows: the paper does not say how many systems it solves.
constexpr index_t kRows = index_t{1} << 22;

// The lengths are the paper's, and more at which the hierarchical method splits systems. Packed CR
// takes them as far as the registers of a block hold all rows: 12 288 of f32, and 8192 of f64. The
// notes of rows of what does not fit say so.
constexpr index_t kLengths[] = {512, 1024, 2048, 4096, 8192, 12'288, 16'384};

}  // namespace

void add_packing(suite& s) {
  for (const value_type type : {value_type::f32, value_type::f64}) {
    for (const index_t n : kLengths) {
      const systems_spec spec{.type = type, .n = n, .batch = kRows / n, .seed = s.options.seed};
      for (const int depth : {2, 4, 8, 16, 32}) {
        add_tridia(s, spec, pivoting::none, {algorithm::packed_cr, {.packing_depth = depth}});
        add_packed_radix_4(s, spec, depth);
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
