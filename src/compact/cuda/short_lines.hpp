// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/fast_divide.hpp"
#include "layout/geometry.hpp"

#include <cuda_runtime_api.h>

#include <vector>

// A line of a few points is multiplied with scale A^-1 B as one dense matrix, by a thread that
// holds it in registers: a scan of so few rows leaves most of its threads, or of their rows, idle.
namespace tridia::compact {

/// A line has at most so many points and rows.
inline constexpr int longest_short_line = 16;

enum line_array { line_in, line_out, line_array_count };

/// Describes the lines of `in` and `out`, and the matrix, `rows` times `points` numbers.
struct short_lines {
  int points, rows;
  gpu::fast_divide by_points, by_rows;
  bool follow_each_other;  // lines, in both arrays, without gaps
  layout::along lines[line_array_count];
  layout::axes_of<line_array_count> batch;
  std::vector<double> matrix;

  [[nodiscard]] int size() const { return points > rows ? points : rows; }
};

/// Launches out = s matrix in, or out += if `accumulate`, for float or double.
template <class V>
cudaError_t launch_short_lines(const short_lines&, const void* in, void* out, double s,
                               bool accumulate, cudaStream_t);

}  // namespace tridia::compact
