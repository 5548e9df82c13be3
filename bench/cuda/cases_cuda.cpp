// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file adds the cases that the project's targets are about, and those of cuSPARSE; the targets
// themselves are in ../targets_cuda.py.
#include "cases_cuda.hpp"

#include "small.hpp"
#include "solvers.hpp"

namespace tridia_bench {
namespace {

using tridia::pivoting;
using tridia::value_type;

constexpr value_type kReal[] = {value_type::f64, value_type::f32};
constexpr layout kLayouts[] = {layout::contiguous, layout::interleaved};

/// Describes systems of n rows in arrays of 512 MiB: 2^26 rows f64, 2^27 f32.
systems_spec full(const suite& s, value_type type, layout l, index_t n) {
  const index_t rows = (index_t{512} << 20) / static_cast<index_t>(tridia::size_of(type));
  return {.layout = l, .type = type, .n = n, .batch = rows / n, .seed = s.options.seed};
}

void add_contiguous(suite& s) {
  for (const value_type type : kReal) {
    for (const index_t n :
         {8, 16, 33, 64, 100, 127, 256, 500, 512, 1000, 1024, 2048, 4096, 8192, 16384}) {
      const systems_spec spec = full(s, type, layout::contiguous, n);
      add_tridia(s, spec, pivoting::none);
      add_cusparse(s, spec, cusparse_method::strided);
    }
  }
}

void add_interleaved(suite& s) {
  constexpr index_t lengths[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  for (const value_type type : kReal) {
    for (const index_t n : lengths) {
      const systems_spec spec = full(s, type, layout::interleaved, n);
      add_tridia(s, spec, pivoting::none);
      for (const auto method : {cusparse_method::interleaved_0, cusparse_method::interleaved_1,
                                cusparse_method::interleaved_2}) {
        add_cusparse(s, spec, method);
      }
    }
    for (const index_t n : lengths) {
      add_tridia(s, full(s, type, layout::middle, n), pivoting::none);
    }
  }
}

void add_pivoting(suite& s) {
  for (const value_type type : kReal) {
    for (const layout l : kLayouts) {
      for (const index_t n : {8, 16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384}) {
        for (const matrix m : {matrix::dominant, matrix::random}) {
          systems_spec spec = full(s, type, l, n);
          spec.matrix = m;
          add_tridia(s, spec, pivoting::partial);
        }
      }
    }
    systems_spec peer = full(s, type, layout::interleaved, 512);
    peer.matrix = matrix::random;
    add_cusparse(s, peer, cusparse_method::interleaved_1);
    add_cusparse(s, peer, cusparse_method::interleaved_2);
  }
}

void add_complex(suite& s) {
  for (const layout l : kLayouts) {
    for (const index_t n : {16, 64, 256, 512, 1024}) {
      add_tridia(s, full(s, value_type::c128, l, n), pivoting::none);
    }
  }
}

void add_periodic(suite& s) {
  for (const value_type type : kReal) {
    for (const layout l : kLayouts) {
      for (const index_t n : {64, 512, 1024}) {
        systems_spec spec = full(s, type, l, n);
        spec.boundary = tridia::boundary::periodic;
        add_tridia(s, spec, pivoting::none);
      }
    }
  }
}

void add_ragged(suite& s) {
  for (const value_type type : kReal) {
    systems_spec spec = full(s, type, layout::contiguous, 1024);
    spec.shortest = 32;
    spec.batch = spec.batch * 2 * spec.n / (spec.shortest + spec.n);  // about as many rows
    for (const pivoting p : {pivoting::none, pivoting::partial}) add_tridia(s, spec, p);
  }
}

void add_shared(suite& s) {
  for (const value_type type : kReal) {
    for (const layout l : kLayouts) {
      systems_spec spec = full(s, type, l, 512);
      spec.coefficients = tridia::coefficients::shared;
      add_tridia(s, spec, pivoting::none);
      add_saved_factors(s, spec, pivoting::none);
      if (l != layout::contiguous) continue;
      add_cusparse(s, spec, cusparse_method::single_nopivot);
      add_cusparse(s, spec, cusparse_method::single);
    }
  }
}

/// Adds single long systems; the one of 2^24 rows is also solved by cuSPARSE.
void add_long(suite& s) {
  for (const value_type type : kReal) {
    for (const int log_rows : {24, 26, 27}) {
      systems_spec spec = full(s, type, layout::contiguous, index_t{1} << log_rows);
      spec.batch = 1;
      add_tridia(s, spec, pivoting::none);
      add_tridia(s, spec, pivoting::partial);
      if (log_rows == 24) {
        add_cusparse(s, spec, cusparse_method::single_nopivot);
        add_cusparse(s, spec, cusparse_method::single);
      }
      spec.matrix = matrix::random;
      add_tridia(s, spec, pivoting::partial);
      if (log_rows == 24) add_cusparse(s, spec, cusparse_method::single);
    }
  }
}

}  // namespace

void add_cuda_cases(suite& s) {
  add_contiguous(s);
  add_interleaved(s);
  add_pivoting(s);
  add_complex(s);
  add_periodic(s);
  add_ragged(s);
  add_shared(s);
  add_long(s);
  add_small(s);
}

}  // namespace tridia_bench
