// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/line_grid.cuh"

namespace tridia::device::detail {

/// Says which rows of a line of `rows` rows, which may be a ring, a block holds: `here` of them
/// from row `begin` on.
struct part_of_line {
  int rows, begin, here;
  bool ring;
};
/// Says which of these a thread makes, counted from the first that the block holds.
struct chunk_of_part {
  int first, behind;
};

/// Gives the elements at a row of a line and beside it, while a thread makes the rows of its chunk
/// one after another. Those of rows that have been made may be overwritten in shared memory: a
/// chunk without pivoting keeps row k - 1 once it has asked for row k + 1 (core/plain_chunk.hpp).
template <class E, int Axis, int Step>
class row_window {
 public:
  /// Loads what lies beside the rows of the block.
  template <class Field, class PointAt>
  __device__ __forceinline__ void load_edges(const Field& field, const PointAt& point_at,
                                             const part_of_line& part, const chunk_of_part& c) {
    const int end = part.begin + part.here;
    if (c.first == 0 && (part.begin > 0 || part.ring)) {
      here_ = field(point_at(part.begin > 0 ? part.begin - 1 : part.rows - 1));
    }
    if (c.behind == part.here && (end < part.rows || part.ring)) {
      behind_ = field(point_at(end < part.rows ? end : 0));
    }
  }
  /// Reads what others may overwrite: all threads of the line do so before any makes rows.
  __device__ __forceinline__ void start(const E* rows, const part_of_line& part,
                                        const chunk_of_part& c) {
    rows_ = rows;
    if (c.first > 0) here_ = rows[(c.first - 1) * Step];
    after_ = rows[c.first * Step];
    if (c.behind < part.here) behind_ = rows[c.behind * Step];
  }
  __device__ __forceinline__ void move_to(int row, const part_of_line& part,
                                          const chunk_of_part& c) {
    row_ = row, around_ = part.ring ? 1 - part.rows : 1;
    before_ = here_, here_ = after_;
    const int next = row + 1 - part.begin;
    after_ = next < c.behind ? rows_[next * Step] : behind_;
  }
  template <int Rank>
  __device__ __forceinline__ E operator()(const point<Rank>& p) const {
    const int by = p.at[Axis] - row_;
    return by == 0 ? here_ : by == 1 || by == around_ ? after_ : before_;
  }

 private:
  const E* rows_;
  E before_, here_{}, after_, behind_{};
  int row_, around_;
};

/// Holds the windows of several fields.
template <int Axis, int Step, class... Elements>
struct row_windows;
template <int Axis, int Step>
struct row_windows<Axis, Step> {
  __device__ __forceinline__ void move_to(int, const part_of_line&, const chunk_of_part&) {}
  /// Calls f with the windows of all fields.
  template <class F, class... Before>
  __device__ __forceinline__ auto call(const F& f, const Before&... before) const {
    return f(before...);
  }
};
template <int Axis, int Step, class E, class... Rest>
struct row_windows<Axis, Step, E, Rest...> {
  row_window<E, Axis, Step> first;
  row_windows<Axis, Step, Rest...> rest;

  __device__ __forceinline__ void move_to(int row, const part_of_line& part,
                                          const chunk_of_part& c) {
    first.move_to(row, part, c), rest.move_to(row, part, c);
  }
  template <class F, class... Before>
  __device__ __forceinline__ auto call(const F& f, const Before&... before) const {
    return rest.call(f, before..., first);
  }
};

}  // namespace tridia::device::detail
