// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/line_operator/sum_plan.hpp"
#include "distributed/subdomain/interface.hpp"
#include "layout/geometry.hpp"

#include <cstddef>
#include <vector>

namespace tridia::distributed {

/// What one line's sum adds to that line: entries of rows from `first` on, to be multiplied by it.
struct sum_column {
  index_t first;
  std::vector<wide> entries;
};

struct sums_task {
  value_type type;  // of arrays and sums
  sum_plan plan;
  line_of_ranks line;
  /// Lines in an order that all ranks of a line have: where each begins in `in` (layout::rhs) and
  /// in `out` (layout::x), and how it goes on.
  layout::axes lines;
  layout::along in, out;
  std::vector<sum_column> columns;  // of the sums that are wanted, if they are to be spread
  int threads;
};

/// Sums over lines that cross ranks, by one round of messages, as a `sum_plan` says. Reproducible:
/// they are added up in the order of the ranks.
class line_sums {
 public:
  virtual ~line_sums() = default;
  /// This rank's shares, of `in`.
  virtual void sum(const void* in, void* stream) = 0;
  /// Starts what travels.
  virtual void send(void* stream) = 0;
  /// Waits for it, and adds up.
  virtual void add(void* stream) = 0;
  /// Of each sum that is wanted, one for each line. They are there after `add`.
  [[nodiscard]] virtual const void* values() const = 0;
  /// out += columns times values.
  virtual void spread(void* out, void* stream) const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace tridia::distributed
