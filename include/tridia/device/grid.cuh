// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/row.cuh"

#include <cstdint>

namespace tridia::device {

/// Holds a point of a grid: its place along each axis, and its place in an array whose rows follow
/// each other without gaps.
template <int Rank>
struct point {
  int at[Rank];
  std::int64_t index;
  const int* size;  // of the grid

  __device__ __forceinline__ int operator[](int axis) const { return at[axis]; }
  /// Returns the point `by` places further along `axis`.
  [[nodiscard]] __device__ __forceinline__ point moved(int axis, int by) const {
    point p = *this;
    p.at[axis] += by;
    std::int64_t step = by;
#pragma unroll
    for (int a = Rank; a-- > 0;) step *= a > axis ? size[a] : 1;
    p.index += step;
    return p;
  }
};

/// Holds the extents of a grid of points whose lines run along `Axis`. Points that are neighbours
/// along the last axis should lie side by side in memory, as in C.
template <int Rank, int Axis>
struct grid {
  static_assert(Axis >= 0 && Axis < Rank);
  int size[Rank];

  [[nodiscard]] __host__ __device__ int rows() const { return size[Axis]; }
  [[nodiscard]] __host__ __device__ std::int64_t lines() const {
    std::int64_t count = 1;
    for (int a = 0; a < Rank; ++a) count *= a == Axis ? 1 : size[a];
    return count;
  }
  /// Returns the point at a place in an array whose rows follow each other without gaps. It refers
  /// to this grid.
  [[nodiscard]] __device__ __forceinline__ point<Rank> point_at(std::int64_t index) const {
    point<Rank> p{{}, index, size};
#pragma unroll
    for (int a = Rank; a-- > 0; index /= size[a]) p.at[a] = static_cast<int>(index % size[a]);
    return p;
  }
};

/// Holds an array over the points of a grid: strides count elements, may have any sign, and are 0
/// along axes on which the array does not depend.
template <class T, int Rank>
struct field {
  T* data;
  std::int64_t stride[Rank];
  __device__ __forceinline__ T& operator()(const point<Rank>& p) const {
    std::int64_t offset = 0;
#pragma unroll
    for (int a = 0; a < Rank; ++a) offset += p.at[a] * stride[a];
    return data[offset];
  }
};

/// Holds an array over the points of a grid whose rows along the last axis follow each other
/// without gaps: nothing has to be computed to find a point's place.
template <class T>
struct packed_field {
  T* data;
  template <int Rank>
  __device__ __forceinline__ T& operator()(const point<Rank>& p) const {
    return data[p.index];
  }
};
template <class T>
packed_field<T> packed(T* data) {
  return {data};
}

namespace detail {

/// A line of a grid for the threads that solve it.
template <int Rank, int Axis>
class line_of {
 public:
  /// Lines are numbered along the other axes, the last of them the fastest.
  __device__ __forceinline__ line_of(const grid<Rank, Axis>& g, std::int64_t number)
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
