// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/compact.hpp"
#include "tridia/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <numbers>

// These lines have known results: row i of a system reads -x[i-1] + 2.5 x[i] - x[i+1] = rhs[i], and
// the field of the derivative is a sine with one period.
namespace tridia::cli {

inline double known_solution(index_t i) { return 1 + 0.125 * static_cast<double>(i % 7); }

inline double known_rhs(index_t i, index_t rows) {
  double sum = 2.5 * known_solution(i);
  if (i > 0) sum -= known_solution(i - 1);
  if (i + 1 < rows) sum -= known_solution(i + 1);
  return sum;
}

inline double known_angle(index_t i, index_t rows) {
  return 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(rows);
}

/// Describes the grid of the derivative: periodic lines along the last axis.
inline grid known_grid(index_t lines, index_t rows) {
  grid g;
  g.extents = {lines, rows};
  g.spacing = 2 * std::numbers::pi / static_cast<double>(rows);
  g.boundary = boundary::periodic;
  return g;
}

/// Holds f64 lines, aligned, whose pages are first touched by the threads that fill them.
class host_lines {
 public:
  host_lines(index_t lines, index_t rows) : lines_(lines), rows_(rows) {
    const std::size_t bytes = static_cast<std::size_t>(lines * rows) * sizeof(double);
    data_.reset(static_cast<double*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
    if (!data_) throw std::bad_alloc();
  }
  [[nodiscard]] double* data() const { return data_.get(); }

  /// Sets row i of each line to value(i).
  template <class F>
  void fill(F value) {
#pragma omp parallel for schedule(static)
    for (index_t line = 0; line < lines_; ++line) {
      for (index_t i = 0; i < rows_; ++i) data_.get()[line * rows_ + i] = value(i);
    }
  }

  /// Returns the largest difference from value(i); infinity if there is a NaN.
  template <class F>
  [[nodiscard]] double error(F value) const {
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (index_t line = 0; line < lines_; ++line) {
      for (index_t i = 0; i < rows_; ++i) {
        const double e = std::abs(data_.get()[line * rows_ + i] - value(i));
        largest = std::max(largest, e >= 0 ? e : HUGE_VAL);
      }
    }
    return largest;
  }

 private:
  struct free_deleter {
    void operator()(double* p) const { std::free(p); }
  };
  index_t lines_, rows_;
  std::unique_ptr<double, free_deleter> data_;
};

}  // namespace tridia::cli
