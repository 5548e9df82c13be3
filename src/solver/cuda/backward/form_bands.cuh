// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/device_limits.hpp"
#include "layout/geometry.hpp"
#include "solver/cuda/backward/band_values.cuh"
#include "solver/cuda/backward/solution_bands.hpp"

// A kernel that has solved its systems forms the gradients of their matrices here.
namespace tridia::cuda {

/// Holds where a line lies from row `first` on: on the chip or in device memory.
template <class V>
struct line_at {
  const V* data;
  index_t step;
  index_t first = 0;

  __device__ __forceinline__ const V* at(index_t k) const { return data + (k - first) * step; }
};

/// Returns the line of a matrix in x of the forward problem.
template <class V>
__device__ __forceinline__ line_at<V> stored_x(const formed_bands<V>& b, index_t matrix) {
  index_t at[band_array_count];
  b.matrices.offsets(matrix, at);
  const layout::along& line = b.lines[forward_x];
  return {b.x + at[forward_x] + line.origin, line.step};
}
/// Returns the line of a matrix in the array that was solved for.
template <class V>
__device__ __forceinline__ line_at<V> stored_line(const layout::geometry& g, const V* x,
                                                  index_t matrix) {
  index_t at[layout::geometry::arrays];
  g.line_offsets(matrix, 0, at);
  return {x + at[layout::x] + g.lines[layout::x].origin, g.lines[layout::x].step};
}

/// Forms the bands of rows first to end - 1 of one matrix of `n` rows, for some threads together.
/// No gradient shares an element with x or with what the solve has read, which may be read once
/// more where that fails.
template <class V>
class band_former {
 public:
  /// `x` and `y` are the lines as far as they are on the chip, or in memory.
  __device__ __forceinline__ band_former(const formed_bands<V>& b, index_t matrix,
                                         const line_at<V>& x, const line_at<V>& y, index_t n)
      : b_(b), stored_x_(stored_x(b, matrix)), x_(x), y_(y), n_(n) {
    index_t at[band_array_count];
    b.matrices.offsets(matrix, at);
#pragma unroll
    for (int band = 0; band < band_count; ++band) {
      to_[band] = at[first_gradient + band] + b.lines[first_gradient + band].origin;
    }
  }

  /// Lane `lane` of so many forms every row that is as many further than the one before.
  __device__ __forceinline__ void form(index_t first, index_t end, int lane, int lanes) const {
    const line_at<V> of_u = b_.y_is_u ? y_ : x_, of_v = b_.y_is_u ? x_ : y_;
    const V *u = of_u.at(first + lane), *v = of_v.at(first + lane);
    V* to[band_count];
#pragma unroll
    for (int band = 0; band < band_count; ++band) to[band] = place(band, first + lane);
#pragma unroll 4
    for (index_t k = first + lane; k < end; k += lanes) {
      if (k > first && k < end - 1) {
        const band_values<V> all = products(*u, v[-of_v.step], *v, v[of_v.step]);
#pragma unroll
        for (int band = 0; band < band_count; ++band) {
          if (b_.to[band] != nullptr) *to[band] = all.at[band];
        }
      }
      u += lanes * of_u.step, v += lanes * of_v.step;
#pragma unroll
      for (int band = 0; band < band_count; ++band) to[band] += lanes * step(band);
    }
    if (lane == 0 && first < end) form_end(first);
    if (lane == lanes - 1 && first < end - 1) form_end(end - 1);
  }

 private:
  /// Forms a row at an end, whose neighbours are elsewhere, or do not exist.
  __device__ __forceinline__ void form_end(index_t k) const {
    const auto at = [&](bool of_x, index_t row) {
      return row < 0 ? V(0) : of_x ? *stored_x_.at(row) : *y_.at(row);
    };
    const auto v = [&](index_t row) { return at(b_.y_is_u, row); };
    const auto column = [&](int band) { return b_.rule.column(band, k, n_); };
    const band_values<V> all =
        products(at(!b_.y_is_u, k), v(column(solver::sub_band)), v(k), v(column(solver::sup_band)));
#pragma unroll
    for (int band = 0; band < band_count; ++band) {
      if (b_.to[band] == nullptr || !b_.rule.is_stored(band, k, n_)) continue;
      *place(band, k) = column(band) < 0 ? V(0) : all.at[band];
    }
  }
  __device__ __forceinline__ band_values<V> products(V u, V before, V here, V after) const {
    const bool conjugate = b_.rule.conjugate_v;
    band_values<V> all;
    all.add(solver::conjugated_if(b_.rule.conjugate_u, u), solver::conjugated_if(conjugate, before),
            solver::conjugated_if(conjugate, here), solver::conjugated_if(conjugate, after));
    return all;
  }
  __device__ __forceinline__ index_t step(int band) const {
    return b_.lines[first_gradient + band].step;
  }
  /// Returns the place of row k in a gradient, which may be null.
  __device__ __forceinline__ V* place(int band, index_t k) const {
    return b_.to[band] + to_[band] + k * step(band);
  }

  const formed_bands<V>& b_;
  line_at<V> stored_x_, x_, y_;
  index_t n_;
  index_t to_[band_count];  // where the matrix's gradients begin
};

}  // namespace tridia::cuda
