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
/// them, row after row of those that are, a number for each line.
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
  bool exchanges = false;  // these may be computed together with other ranks (border_exchange.hpp)

  [[nodiscard]] index_t prescribed() const { return prescribed_head + prescribed_tail; }
  /// Returns the number of a row among the prescribed ones; -1 if it is none.
  [[nodiscard]] index_t prescribed_number(index_t row) const {
    if (row < prescribed_head) return row;
    const index_t from_tail = row - (rows - prescribed_tail);
    return from_tail >= 0 ? prescribed_head + from_tail : -1;
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
