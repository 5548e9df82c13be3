// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/constant.hpp"
#include "tridia/near_toeplitz.hpp"
#include "tridia/types.hpp"

#include <vector>

namespace tridia::line_operator {

/// Holds weights of neighbouring points: weights[k] is that of point i + first + k for row i.
struct stencil {
  int first = 0;
  std::vector<double> weights{};
};

/// Describes what is done along every line: out = scale A^-1 B in, as a compact scheme does, or a
/// plan of constant coefficients. A has a row for each point of `out`; B gives it the points of
/// `in`. The right-hand sides of the first and the last rows may be given instead: an array has
/// them, row after row of those that are, a number for each line. Where B comes last, results of
/// the first and the last rows may be given as well: they follow the right-hand sides of their end.
struct specification {
  index_t points = 0, rows = 0;                           // of a line of `in` and of `out`
  tridia::boundary boundary = tridia::boundary::regular;  // periodic: A and B both wrap
  near_toeplitz matrix{};                                 // A
  stencil interior{};                                     // B, but for
  std::vector<stencil> head{}, tail{};                    // the first and the last rows
  std::vector<double> scale{};  // of each row, applied last (a metric); empty: 1
  bool solves = false;          // B is the identity: nothing need be multiplied with it, or scaled
  bool gathers = false;         // out = B A^-1 scale in instead, of as many points as rows
  // These are the numbers of rows at either end whose right-hand sides are prescribed, whatever
  // else defines these rows; regular lines only.
  index_t prescribed_head = 0, prescribed_tail = 0;
  index_t gathered_head = 0, gathered_tail = 0;  // and those of given results, if B comes last
  bool exchanges = false;  // these may be computed together with other ranks (border_exchange.hpp)

  // These return how many numbers are given for the rows at either end, and in all.
  [[nodiscard]] index_t head_numbers() const { return prescribed_head + gathered_head; }
  [[nodiscard]] index_t tail_numbers() const { return prescribed_tail + gathered_tail; }
  [[nodiscard]] index_t prescribed() const { return head_numbers() + tail_numbers(); }
  /// Returns the number of a row's right-hand side among those that are given; -1 if it is none.
  [[nodiscard]] index_t prescribed_number(index_t row) const {
    if (row < prescribed_head) return row;
    const index_t from_tail = row - (rows - prescribed_tail);
    return from_tail >= 0 ? head_numbers() + from_tail : -1;
  }
  /// Returns that of its result.
  [[nodiscard]] index_t gathered_number(index_t row) const {
    if (row < gathered_head) return prescribed_head + row;
    const index_t from_tail = row - (rows - gathered_tail);
    return from_tail >= 0 ? head_numbers() + prescribed_tail + from_tail : -1;
  }
  /// Returns the stencil of a row that is not prescribed.
  [[nodiscard]] const stencil& stencil_of(index_t row) const {
    const index_t from_tail = row - (rows - static_cast<index_t>(tail.size()));
    if (row < static_cast<index_t>(head.size())) return head[static_cast<std::size_t>(row)];
    return from_tail >= 0 ? tail[static_cast<std::size_t>(from_tail)] : interior;
  }
};

/// Returns A of the operator, or its transpose, in the form that the solvers take.
constant_matrix matrix_of(const specification&, operation = operation::none);
/// Returns the operator that solves with a matrix of three rows or more.
specification solving_with(const constant_matrix&);

}  // namespace tridia::line_operator
