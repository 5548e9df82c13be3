// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "fields.hpp"

#include "device_fields.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tridia_bench {

block_shape::block_shape(const std::vector<index_t>& extents, int axis) : rows(extents[axis]) {
  for (std::size_t a = 0; a < extents.size(); ++a) {
    points *= extents[a];
    if (static_cast<int>(a) > axis) inner *= extents[a];
  }
}

field::field(const block_shape& shape, int device) : shape_(shape), device_(device) {
  const auto count = static_cast<std::size_t>(shape.points);
  data_ = device_ < 0 ? std::shared_ptr<double>(new double[count], std::default_delete<double[]>())
                      : device_doubles(count);
}

void field::fill(const std::vector<double>& of_row) {
  if (device_ >= 0) return device_fill(data(), shape_, of_row);
  double* const to = data();
#pragma omp parallel for schedule(static)
  for (index_t k = 0; k < shape_.points; ++k) to[k] = of_row[k / shape_.inner % shape_.rows];
}

double field::largest_error(const std::vector<double>& of_row) const {
  if (device_ >= 0) return device_largest_error(data(), shape_, of_row);
  const double* const from = data();
  double largest = 0;
  bool wrong = false;
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(|| : wrong)
  for (index_t k = 0; k < shape_.points; ++k) {
    const double e = std::fabs(from[k] - of_row[k / shape_.inner % shape_.rows]);
    wrong = wrong || std::isnan(e);
    largest = std::max(largest, e);
  }
  return wrong ? NAN : largest;
}

}  // namespace tridia_bench
