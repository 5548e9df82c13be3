// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/operator_tables.hpp"
#include "line_operator/cpu/vector_block.hpp"

namespace tridia::line_operator::cpu::TRIDIA_ISA {
// Like the sweeps (line_sweeps.hpp), this has internal linkage.
namespace {

/// Computes `Rows` results of a vector block of lines from all of their points: rows of a matrix
/// times the points, times s. Results are `out_pitch` apart.
template <int Rows, class R, int Vectors>
TRIDIA_FN void multiply_rows(const R* matrix, index_t points, const vector_block<R, Vectors>* in,
                             R s, R* out, index_t out_pitch) {
  using values = vector_block<R, Vectors>;
  using simd = typename values::simd;
  values sums[Rows];
  for (values& sum : sums) sum = values::zero();
  for (index_t k = 0; k < points; ++k) {
    _Pragma("GCC unroll 2") for (int i = 0; i < Rows; ++i) sums[i] =
        sums[i].plus(simd(matrix[i * points + k]), in[k]);
  }
  for (int i = 0; i < Rows; ++i, out += out_pitch) sums[i].times(simd(s)).store(out);
}

/// Computes all results, two at a time: their sums are enough to keep adders busy. Points are
/// `in_pitch` apart; they are loaded once, as every vector of them may lie in two cache lines.
template <class R, int Vectors>
TRIDIA_FN void multiply_lines(const R* matrix, index_t points, index_t results, const R* in,
                              index_t in_pitch, R s, R* out, index_t out_pitch) {
  vector_block<R, Vectors> v[longest_dense];
  for (index_t k = 0; k < points; ++k) v[k] = vector_block<R, Vectors>::load(in + k * in_pitch);
  index_t i = 0;
  for (; i + 2 <= results; i += 2, matrix += 2 * points, out += 2 * out_pitch) {
    multiply_rows<2, R, Vectors>(matrix, points, v, s, out, out_pitch);
  }
  if (i < results) multiply_rows<1, R, Vectors>(matrix, points, v, s, out, out_pitch);
}

}  // namespace
}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
