// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/lanes_point.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>

// This attribute makes a lambda always inline: a call would write every vector to memory. It is not
// set under AddressSanitizer, whose checks make inlined code too long to compile.
#if defined(__SANITIZE_ADDRESS__)
#define TRIDIA_INLINE_LAMBDA
#else
#define TRIDIA_INLINE_LAMBDA __attribute__((always_inline))
#endif

// This file says how the lines of a grid become lanes of vectors: those of a group are neighbours
// along one axis, so that one row of them lies evenly spaced in every array.
namespace tridia::detail {

/// Names the real type of a value type, and the value of W lanes of it; of one lane, T as scalar.
template <class T>
using real_of = typename core::value_traits<T>::real;
template <class T, int W>
struct value_of_lanes {
  using type = typename lanes_of<T, W>::value;
};
template <class T>
struct value_of_lanes<T, 1> {
  using type = T;
};

/// Maximum number of lanes of a group: a value has two registers.
template <class T>
inline constexpr int most_lanes = simd_lanes<real_of<T>>* static_cast<int>(sizeof(real_of<T>)) /
                                  static_cast<int>(sizeof(T));

/// Is true where functions take points of W lanes; those of `point<Rank>` alone get lines one by
/// one.
template <int Rank, int W, class MakeRow>
inline constexpr bool takes_lanes = std::is_invocable_v<const MakeRow&, const point<Rank, W>&>;

/// Width of the groups that come after those of W lanes.
template <int W>
inline constexpr int next_width = W > 8   ? W / 4
                                  : W > 2 ? 2
                                          : 1;

/// Calls f.operator()<W>(first, groups) for the groups of W lanes of `count` lines from `first` on,
/// the widest first.
template <int W, class F>
TRIDIA_FN void for_each_width(int first, int count, const F& f) {
  const int groups = count / W;
  if (groups > 0) f.template operator()<W>(first, groups);
  if constexpr (W > 1) {
    for_each_width<next_width<W>>(first + groups * W, count - groups * W, f);
  }
}

/// Holds the axis along which the lines of a group are neighbours, and numbers lines and groups.
template <int Rank, int Axis>
class line_lanes {
 public:
  /// The last axis that has room for the widest group, or else the longest one.
  line_lanes(const line_grid<Rank, Axis>& g, int widest) : grid_(g) {
    for (int a = Rank; a-- > 0;) {
      if (a == Axis) continue;
      if (axis_ >= 0 && g.size[axis_] >= std::min(widest, g.size[a])) continue;
      axis_ = a;
    }
    for (int a = axis_ + 1; a < Rank; ++a) {
      packed_step_ *= g.size[a];
      if (a != Axis) number_step_ *= g.size[a];
    }
    for (int a = Axis + 1; a < Rank; ++a) row_step_ *= g.size[a];
  }
  /// Returns the number of lines that are neighbours, and that of such sets.
  [[nodiscard]] int across() const { return Rank > 1 ? grid_.size[axis_] : 1; }
  [[nodiscard]] std::int64_t sets() const { return grid_.lines() / across(); }

  /// Returns row 0 of line `lane` of a set.
  [[nodiscard]] point<Rank> first_of(std::int64_t set, int lane) const {
    point<Rank> p{{}, 0, grid_.size};
    for (int a = Rank; a-- > 0;) {
      if (a == Axis || a == axis_) continue;
      p.at[a] = static_cast<int>(set % grid_.size[a]);
      set /= grid_.size[a];
    }
    if (Rank > 1) p.at[axis_] = lane;
    for (int a = 0; a < Rank; ++a) p.index = p.index * grid_.size[a] + p.at[a];
    return p;
  }
  /// Returns row k of the lines of a group whose first line has row 0 at `first`.
  template <int W>
  TRIDIA_FN point<Rank, W> row_of(point<Rank> first, int k) const {
    first.at[Axis] = k;
    first.index += k * row_step_;
    if constexpr (W == 1) {
      return first;
    } else {
      return {first, Axis, axis_, packed_step_};
    }
  }
  /// Returns the first point of the group `groups` groups of W lines further on.
  template <int W>
  TRIDIA_FN point<Rank> group_after(point<Rank> first, int groups) const {
    if (Rank > 1) first.at[axis_] += groups * W;
    first.index += groups * W * packed_step_;
    return first;
  }
  /// Returns the number of a line, along the other axes, the last of them the fastest; and how far
  /// that of the next lane is.
  [[nodiscard]] std::int64_t number_of(const point<Rank>& first) const {
    std::int64_t number = 0;
    for (int a = 0; a < Rank; ++a) {
      if (a != Axis) number = number * grid_.size[a] + first.at[a];
    }
    return number;
  }
  [[nodiscard]] std::int64_t number_step() const { return number_step_; }

 private:
  const line_grid<Rank, Axis>& grid_;
  int axis_ = -1;
  std::int64_t packed_step_ = 1, number_step_ = 1, row_step_ = 1;
};

/// Collects which lines have no solution: `status_of_lines` may be null.
class line_statuses {
 public:
  explicit line_statuses(int* status_of_lines) : status_(status_of_lines) {}
  /// Enters the lanes of a group that are not set in `good`.
  template <int W, class Mask>
  void enter(std::int64_t number, std::int64_t step, const Mask& good) {
    if (math::all(good)) return;
    for (int lane = 0; lane < W; ++lane) {
      if (is_set(good, lane)) continue;
      const std::int64_t line = number + lane * step;
      for (std::int64_t least = first_; line < least;) {
        if (first_.compare_exchange_weak(least, line)) break;
      }
      // Parts of a line may say so at once.
      if (status_ != nullptr) {
        std::atomic_ref<int>(status_[line]).store(unsolved, std::memory_order_relaxed);
      }
    }
  }
  [[nodiscard]] bool any() const { return first_ != none; }
  /// Returns the number of the first line without a solution.
  [[nodiscard]] std::int64_t first() const { return first_; }

 private:
  static bool is_set(bool good, int) { return good; }
  template <class Mask>
  static bool is_set(const Mask& good, int lane) {
    return good[lane];
  }
  int* status_;
  static constexpr auto none = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> first_ = none;
};

}  // namespace tridia::detail
