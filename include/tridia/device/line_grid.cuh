// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/row.cuh"
#include "tridia/line_grid.hpp"

#include <cstdint>

namespace tridia::device {

using tridia::field, tridia::line_grid, tridia::packed, tridia::packed_field, tridia::point;

namespace detail {

/// A line of a grid for the threads that solve it.
template <int Rank, int Axis>
class line_of {
 public:
  /// Lines are numbered along the other axes, the last of them the fastest.
  __device__ __forceinline__ line_of(const line_grid<Rank, Axis>& g, std::int64_t number)
      : number_(number), exists_(number < g.lines()) {
    std::int64_t rest = exists_ ? number : 0, inner = 1;
#pragma unroll
    for (int a = Axis + 1; a < Rank; ++a) inner *= g.size[a];
    step_ = inner;
    const std::int64_t outer = rest / inner;
    place_.index = outer * (inner * g.size[Axis]) + (rest - outer * inner);
    place_.size = g.size;
#pragma unroll
    for (int a = Rank; a-- > 0;) {
      if (a == Axis) continue;
      const std::int64_t next = a == (Axis == 0 ? 1 : 0) ? 0 : rest / g.size[a];
      place_.at[a] = static_cast<int>(rest - next * g.size[a]);
      rest = next;
    }
    place_.at[Axis] = 0;
  }
  [[nodiscard]] __device__ __forceinline__ bool exists() const { return exists_; }
  [[nodiscard]] __device__ __forceinline__ point<Rank> point_at(int k) const {
    point<Rank> p = place_;
    p.at[Axis] = k;
    p.index += k * step_;
    return p;
  }
  __device__ __forceinline__ void say(int* status_of_lines, int s) const {
    if (status_of_lines != nullptr && exists_) status_of_lines[number_] = s;
  }

 private:
  point<Rank> place_;
  std::int64_t step_, number_;
  bool exists_;
};

}  // namespace detail
}  // namespace tridia::device
