// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tridia_bench {

using tridia::index_t;

/// Describes a rank's block of an array in C order, as rows of its lines along an axis.
struct block_shape {
  index_t points = 1, rows = 1, inner = 1;

  block_shape(const std::vector<index_t>& extents, int axis);
};

/// Holds numbers in the memory where a communicator's arrays lie: that of a GPU, or of the host
/// (-1).
class field {
 public:
  field(const block_shape& shape, int device);

  [[nodiscard]] double* data() const { return data_.get(); }
  /// Sets every point of row k to of_row[k].
  void fill(const std::vector<double>& of_row);
  /// Returns the largest |value - of_row[k]| of all points of all rows k; NaN if there is one.
  [[nodiscard]] double largest_error(const std::vector<double>& of_row) const;

 private:
  block_shape shape_;
  int device_;
  std::shared_ptr<double> data_;
};

}  // namespace tridia_bench
