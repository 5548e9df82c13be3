// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/line_operator/sum_plan.hpp"
#include "distributed/subdomain/interface.hpp"
#include "layout/geometry.hpp"
#include "line_operator/border_exchange.hpp"

#include <cstddef>
#include <vector>

namespace tridia::distributed {

/// Holds what a sum adds to its line: entries of rows from `first` on, to be multiplied by the sum.
struct sum_column {
  index_t first;
  std::vector<wide> entries;
};

struct sums_task {
  value_type type;  // of arrays and sums
  sum_plan plan;
  line_of_ranks line;
  /// Holds the lines in an order that all ranks of a line have: where each begins in `in`
  /// (layout::rhs) and in `out` (layout::x), and its steps.
  layout::axes lines;
  layout::along in, out;
  std::vector<sum_column> columns;  // of the sums that are wanted, if they are to be spread
  int threads;
};

/// Computes sums over lines that cross ranks with one round of messages, as a `sum_plan` says. They
/// are reproducible: shares are added up in the order of the ranks.
class line_sums {
 public:
  virtual ~line_sums() = default;
  /// Computes this rank's shares from `in`.
  virtual void sum(const void* in, void* stream) = 0;
  /// Starts the messages.
  virtual void send(void* stream) = 0;
  /// Waits for the messages and adds the shares up.
  virtual void add(void* stream) = 0;
  /// Returns the value of each sum that is wanted, one for each line; valid after `add`.
  [[nodiscard]] virtual const void* values() const = 0;
  /// Returns how a kernel adds the shares up by itself, instead of `add`, or computes them as well
  /// (`computes`), instead of `sum` and `send`; null if it cannot. Its launch stands between the
  /// two calls below.
  [[nodiscard]] virtual const line_operator::border_exchange* in_kernel(bool computes) const = 0;
  virtual void begin_kernel(void* stream) = 0;
  virtual void end_kernel(void* stream) = 0;
  /// Adds the columns times the values to `out`.
  virtual void spread(void* out, void* stream) const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace tridia::distributed
