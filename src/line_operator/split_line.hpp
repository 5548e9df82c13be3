// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/specification.hpp"

#include <vector>

// These functions cut lines of a line operator into parts, for ranks in a row or for a GPU. All is
// known when a plan is made, as matrix and stencils are constant: what other parts add to a part's
// right-hand sides is a sum over their points with weights that are rows of A^-1 B.
namespace tridia::line_operator {

/// Says where the parts of a line begin, in `in` (points) and in `out` (rows); the end of the line
/// follows.
struct line_cuts {
  std::vector<index_t> points, rows;

  [[nodiscard]] int parts() const { return static_cast<int>(rows.size()) - 1; }
};

/// Says whether rows are coupled to a part's first row, and to its last one.
struct part_sides {
  bool before, after;
};
part_sides sides_of(const specification& whole, const line_cuts&, int part);

/// Returns the operator on a part's rows and points, as a regular one. Its couplings to other rows
/// are removed; the right-hand sides of rows that had them, or that need points of other parts, are
/// prescribed. If B comes last, results that need rows of other parts are.
specification part_of(const specification& whole, const line_cuts&, int part);

/// Holds a number for each point of a line.
using line_weights = std::vector<wide>;

/// Returns what a part's first and last right-hand sides do to its rows, where it has neighbours:
/// columns of the inverse of its own matrix. Throws `error` (unsupported) where a part is singular
/// by itself, or close to it, though the whole need not be.
std::vector<line_weights> end_columns(const specification& part, const part_sides&);

/// Computes rows of A^-1 and of A^-1 B, in higher precision, by one sweep over the line each; of
/// A^-1 alone where B comes last.
class inverse_rows {
 public:
  /// Factors A. Throws `error` (singular) if it is singular.
  explicit inverse_rows(const specification& whole);
  /// Returns row i of A^-1 B, or of A^-1.
  [[nodiscard]] line_weights row(index_t i) const;

  /// Returns the weights of the whole line's points in the prescribed right-hand sides of a part,
  /// and in its prescribed results, in their order.
  [[nodiscard]] std::vector<line_weights> prescribed(const line_cuts&, int part) const;
  /// Returns such weights for any part, the first of whose rows is `first`: rows that are
  /// prescribed need not be rows of the whole.
  [[nodiscard]] std::vector<line_weights> prescribed(const specification& part,
                                                     index_t first) const;
  /// Returns the weights of what the neighbours' x add to a part's first and last right-hand sides,
  /// where it has such neighbours: minus couplings times their rows of A^-1 B.
  [[nodiscard]] std::vector<line_weights> couplings(const line_cuts&, int part) const;

 private:
  /// Returns the sum of rows of A^-1 B, or of A^-1, times their factors.
  [[nodiscard]] line_weights rows(line_weights factors) const;
  [[nodiscard]] line_weights right_side_of(const specification& part, index_t first,
                                           index_t k) const;
  [[nodiscard]] line_weights result_of(index_t row) const;
  /// Adds the weights of a row's right-hand side.
  void add_right_side(line_weights& to, index_t row, const wide& factor) const;
  void add_coupling(line_weights& to, const wide& coefficient, index_t row) const;

  const specification& whole_;
  constant_factors factors_;  // of the transpose
};

/// Returns the tolerance that was asked for, or one below rounding.
double least_weight(value_type, double tolerance);
/// Sets the smallest weights to zero, which together are at most `tolerance` times the largest.
void leave_out(line_weights&, double tolerance);

}  // namespace tridia::line_operator
