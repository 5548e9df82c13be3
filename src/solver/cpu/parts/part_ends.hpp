// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "layout/row_values.hpp"
#include "solver/cpu/parts/part_lanes.hpp"
#include "solver/cpu/parts/part_split.hpp"
#include "solver/system_memory.hpp"

#include <limits>

namespace tridia::cpu {

using solver::operands;

/// Holds rows of a matrix that are all the same.
struct equal_rows {
  index_t begin, end;
  /// Returns the row from which on `rows` rows are read instead of those from `first` on.
  [[nodiscard]] index_t instead_of(index_t first, index_t rows) const {
    return first >= begin && first + rows <= end ? begin : first;
  }
};

/// Holds x of the rows before and after a part.
template <class V>
struct outer_x {
  V before, after;
};

/// Finds x on both sides of the borders of parts from the nearest rows alone, as truncated SPIKE
/// does (Polizzi and Sameh, Parallel Computing 32, 2006): so the rows between are not read for it.
/// It does where those further away count less than the square of rounding, and no rows need be
/// interchanged.
template <class V, pivoting P>
class part_ends {
 public:
  using equations = typename core::chunk<V, P>::equations;
  enum class side { before, after };  // of a border

  part_ends(const layout::geometry& lines, const part_split& split, boundary b, int lanes)
      : lines_(lines),
        split_(split),
        borders_(split.parts() - (b == boundary::periodic ? 0 : 1)),
        pays_(split.part_rows() >= least_part * rows && last_rows() >= rows),
        of_borders_{split.lines() * borders_, lanes, split.most_lanes() / lanes} {}

  /// Returns whether the ends of parts are so much shorter than these that looking at them pays.
  [[nodiscard]] bool pays() const { return pays_; }
  [[nodiscard]] std::size_t bytes() const {
    return pays_ ? static_cast<std::size_t>(2 * of_borders_.size) * sizeof(equations) : 0;
  }
  /// Returns the number of borders of all lines.
  [[nodiscard]] index_t count() const { return of_borders_.size; }
  [[nodiscard]] index_t batches() const { return of_borders_.count(); }
  [[nodiscard]] bool is_single(index_t batch) const { return of_borders_.at(batch).single; }
  [[nodiscard]] index_t line_of(index_t border) const {
    return split_.is_part_major() ? border % split_.lines() : border / borders_;
  }

  /// Fills a batch with the rows on one side of those borders whose lines `wanted` says, whose
  /// equations are to go to what `bytes` counts.
  template <class Wanted>
  void fill(part_lanes<V>& batch, const layout::geometry& part_lines, const operands& o, index_t i,
            side s, const equal_rows& equal, int lanes, Wanted wanted) const {
    const system_range range = of_borders_.at(i);
    batch.start(part_lines, o, rows);
    for (index_t b = range.first; b < range.first + range.count; ++b) {
      const index_t line = line_of(b);
      if (!wanted(line)) continue;
      const index_t first = s == side::before ? split_.end_of(part_before(b)) - rows
                                              : part_after(b) * split_.part_rows();
      index_t at[layout::array_count];
      lines_.line_offsets(line, 0, at);
      const layout::strided_matrix<V> a(lines_, lines_.rows, solver::typed<V>(o).in, at);
      batch.line_of[batch.lines.live] = line;
      batch.add(lines_, line, first, equal.instead_of(first, rows), a.get(first).sub,
                a.get(first + rows - 1).sup, {place_of(b, s) * core::value_count<equations, V>, 1});
    }
    batch.finish(lanes);
  }

  /// Enters x on both sides of a border. Returns whether nothing but its ends determines it.
  bool close(index_t border, const equations* ends, outer_x<V>* all) const {
    using core::magnitude;
    const equations &left = ends[place_of(border, side::before)],
                    &right = ends[place_of(border, side::after)];
    const plain last = plain_last(left), first = plain_first(right);
    // What is at the border must not grow with the distance either, or small errors at the far end
    // would be large ones of a solution that grows as well.
    const bool decays = magnitude(last.before) <= least && magnitude(first.after) <= least &&
                        magnitude(plain_first(left).after) <= real(1) &&
                        magnitude(plain_last(right).before) <= real(1);
    const V pivot = core::sub_mul(V(1), last.after, first.before);
    const V x_before = core::sub_mul(last.rhs, last.after, first.rhs) * core::reciprocal(pivot);
    const V x_after = core::sub_mul(first.rhs, first.before, x_before);
    const index_t of_line = line_of(border) * split_.parts();
    all[of_line + part_before(border)].after = x_after;
    all[of_line + part_after(border)].before = x_before;
    const bool regular = borders_ < split_.parts();
    if (regular && part_before(border) == 0) all[of_line].before = V(0);
    if (regular && part_after(border) == borders_) all[of_line + borders_].after = V(0);
    return decays && magnitude(pivot) >= least_pivot && core::is_finite(x_before) &&
           core::is_finite(x_after);
  }

 private:
  using real = typename core::value_traits<V>::real;
  static constexpr real epsilon = std::numeric_limits<real>::epsilon(), least = epsilon * epsilon,
                        least_pivot = real(1) / 8;
  /// Over so many rows an influence decays that each row makes 0.47 times as large.
  static constexpr index_t rows = sizeof(real) == 8 ? 96 : 48;
  static constexpr index_t least_part = 5;

  // Equations of rows that were not interchanged.
  using plain = typename core::chunk<V, pivoting::none>::equation;
  static plain plain_first(const equations& e) {
    if constexpr (P == pivoting::none) return e.first;
    if constexpr (P == pivoting::partial) return {e.a.before, e.a.last, e.a.rhs};
  }
  static plain plain_last(const equations& e) {
    if constexpr (P == pivoting::none) return e.last;
    if constexpr (P == pivoting::partial) return {e.b.before, e.b.after, e.b.rhs};
  }

  [[nodiscard]] index_t last_rows() const {
    return lines_.rows - (split_.parts() - 1) * split_.part_rows();
  }
  [[nodiscard]] index_t part_before(index_t border) const {
    return split_.is_part_major() ? border / split_.lines() : border % borders_;
  }
  [[nodiscard]] index_t part_after(index_t border) const {
    const index_t part = part_before(border) + 1;
    return part < split_.parts() ? part : 0;
  }
  static index_t place_of(index_t border, side s) {
    return 2 * border + (s == side::after ? 1 : 0);
  }

  layout::geometry lines_;
  part_split split_;
  index_t borders_;  // of a line
  bool pays_;
  group_split of_borders_;
};

}  // namespace tridia::cpu
