// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "line_operator/specification.hpp"

#include <cstddef>

// Compact operators and solves with a matrix that is known beforehand are line operators alike: on
// a CPU the same kernels and tables serve both.
namespace tridia::line_operator::cpu {

/// Describes lines of real numbers, and the operator that is applied to each of them.
struct operation_task {
  specification line;
  value_type type;  // f32 or f64
  /// `lines[layout::rhs]` and `lines[layout::x]` hold how `in` and `out` go along a line, and
  /// `right_sides` holds the lines, with their strides in the two arrays. `rows` is that of `out`.
  layout::geometry geometry;
  index_t threads;
};

/// Is told which lines have no finite result, by several threads at a time.
class failure_report {
 public:
  virtual ~failure_report() = default;
  /// Enters line `line`, once all that is written of it here has been. Its value in row `row` of
  /// `in` is the first that is not finite; or all are, and there the elimination overflows, if
  /// `overflows`.
  virtual void enter(index_t line, index_t row, bool overflows) const = 0;
};

/// Describes one execution: out = s op(in), or out += s op(in); `out` may be the array `in`.
struct operation_call {
  const void* in;
  void* out;
  double s = 1;
  bool accumulate = false;
  /// Points to the right-hand sides of the prescribed rows: for each row, one for each line in the
  /// order of `geometry.right_sides`. Null if no row is prescribed.
  const void* prescribed = nullptr;
  void* workspace = nullptr;
  /// Points to a `row_numbers` (operator_tables.hpp) of each row, in the type of the arrays, which
  /// take the place of those of the operator's matrix: of whole lines without a dense matrix. The
  /// pivot of a periodic line's last row is `line_factors::corner`. Null: the operator's.
  const void* numbers = nullptr;
  /// This is told of lines without a finite result if it is not null: of solves alone.
  const failure_report* failures = nullptr;
};

/// Applies an operator to all lines; immutable and thread-safe.
class line_operation {
 public:
  virtual ~line_operation() = default;
  [[nodiscard]] virtual int threads() const = 0;
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  virtual void apply(const operation_call&) const = 0;
};

}  // namespace tridia::line_operator::cpu
