// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/carried.hpp"
#include "line_operator/cpu/line_group.hpp"
#include "line_operator/cpu/operator_tables.hpp"
#include "line_operator/cpu/vector_block.hpp"

#include <limits>

namespace tridia::line_operator::cpu::TRIDIA_ISA {
// Like the sweeps (line_sweeps.hpp), this has internal linkage.
namespace {

/// Finds the lines of a group whose solution is not finite, and why. A number that is not finite
/// makes all that a recurrence computes after it so: the ends of the sweeps are enough to look at,
/// and only a line that has failed is looked through.
template <class R>
class failure_search {
 public:
  /// `rows` is where the eliminated right-hand sides lie in the buffer.
  failure_search(const tables<R>& t, const line_group& s, const R* rows)
      : t_(t), s_(s), rows_(rows) {}

  bool all_finite() const { return all_finite_; }

  /// Looks for right-hand sides that are not finite, after the forward sweep: the arrays still hold
  /// them, as `in` may be `out`.
  void after_forward(const carried<R>& ends) {
    if (s_.failures == nullptr) return;
    for (int l = 0; l < s_.live; ++l) {
      if (is_finite(ends.left[l]) && (!t_.periodic || is_finite(ends.end[l]))) continue;
      const index_t row = first_in_line(l);
      row < t_.points ? enter(l, row, false) : enter(l, first_overflow(l, ends), true);
    }
  }
  /// Looks for solutions that overflow, after the backward sweep.
  void after_backward(const carried<R>& ends) {
    if (s_.failures == nullptr) return;
    for (int l = 0; l < s_.live; ++l) {
      if (is_finite(ends.next[l]) && (!t_.periodic || ends.zero[l] == 0)) continue;
      if (all_finite_ || s_.failures[l].row < 0) enter(l, first_overflow(l, ends), true);
    }
  }
  /// Looks at the results of `lanes` short lines from `lane` on, which are in the buffer: row 0 at
  /// `results`. Points are `pitch` apart.
  template <int Vectors>
  void after_product(int lane, const R* results, const R* points, index_t pitch) {
    using values = vector_block<R, Vectors>;
    if (s_.failures == nullptr) return;
    values zero = values::zero();
    const typename values::simd factor(R(0));
    for (index_t i = 0; i < t_.results; ++i, results += s_.pitch) {
      zero = zero.plus(factor, values::load(results));
    }
    if (zero.is_zero()) return;
    alignas(64) R all[values::count];
    zero.store(all);
    const int lanes = s_.live - lane < values::count ? s_.live - lane : values::count;
    for (int l = 0; l < lanes; ++l) {
      if (all[l] == 0) continue;
      index_t row = 0;
      while (row < t_.points && is_finite(points[row * pitch + l])) ++row;
      row < t_.points ? enter(lane + l, row, false) : enter(lane + l, 0, true);
    }
  }

 private:
  static TRIDIA_FN bool is_finite(R v) { return v - v == 0; }

  void enter(int lane, index_t row, bool overflows) {
    if (all_finite_) {
      for (int l = 0; l < s_.live; ++l) s_.failures[l] = {-1, false};
    }
    all_finite_ = false;
    s_.failures[lane] = {row, overflows};
  }
  /// Returns the first point of a line that is not finite; the number of points if all are.
  index_t first_in_line(int lane) const {
    const R* const in = static_cast<const R*>(s_.in) + s_.in_at[lane];
    index_t k = 0;
    while (k < t_.points && is_finite(in[k * s_.in_step])) ++k;
    return k;
  }
  /// Returns the first row whose eliminated right-hand side over its pivot is not finite; 0 if all
  /// are, and x overflows later on.
  index_t first_overflow(int lane, const carried<R>& ends) const {
    for (index_t i = 0; i < t_.eliminated; ++i) {
      if (!is_finite(rows_[i * s_.pitch + lane] * t_.number(i).pivot)) return i;
    }
    if (t_.periodic && !is_finite(ends.end[lane])) return t_.eliminated;
    return 0;
  }

  const tables<R>& t_;
  const line_group& s_;
  const R* rows_;
  bool all_finite_ = true;
};

}  // namespace
}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
