// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/line_operator/constant_lines.hpp"

#include <algorithm>

namespace tridia::distributed {
namespace {

/// Returns the matrix of `n` rows that the lines are solved with, as one that is not transposed.
near_toeplitz resolved_matrix(const problem& p, index_t n) {
  const near_toeplitz& a = p.matrix;
  if (p.operation == operation::none) return a;
  using number = std::complex<double>;
  const bool conjugate = p.operation == operation::conjugate_transpose;
  const auto row_of = [&](number above, number here, number below) -> near_toeplitz::row {
    if (conjugate) return {std::conj(above), std::conj(here), std::conj(below)};
    return {above, here, below};
  };
  // Rows beyond an end are those of the other end, or do not matter.
  const auto row = [&](index_t k) { return line_operator::row_of(a, n, (k + n) % n); };
  const auto row_of_transpose = [&](index_t k) {
    return row_of(row(k - 1).du, row(k).d, row(k + 1).dl);
  };
  // A row beside one with entries of its own has some of them.
  const auto head = static_cast<index_t>(a.head.size()), tail = static_cast<index_t>(a.tail.size());
  const index_t beside = head + tail > 0 ? 1 : 0;
  const index_t first = std::min(head + beside, n), last = std::max(n - tail - beside, first);
  near_toeplitz t{row_of(a.interior.du, a.interior.d, a.interior.dl), {}, {}};
  for (index_t k = 0; k < first; ++k) t.head.push_back(row_of_transpose(k));
  for (index_t k = last; k < n; ++k) t.tail.push_back(row_of_transpose(k));
  return t;
}

}  // namespace

constant_lines::constant_lines(const problem& p, const std::vector<index_t>& begins, int here)
    : cuts{begins, begins} {
  whole.points = whole.rows = cuts.rows.back();
  whole.boundary = p.boundary;
  whole.matrix = resolved_matrix(p, whole.rows);
  whole.interior = {0, {1}};
  own = part_of(whole, cuts, here);
  sides = sides_of(whole, cuts, here);
}

}  // namespace tridia::distributed
