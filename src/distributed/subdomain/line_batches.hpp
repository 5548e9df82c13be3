// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <algorithm>

namespace tridia::distributed {

/// Describes the lines of a rank, cut into batches that travel by themselves. Memory holds batch
/// after batch, in each batch value after value, for each value line after line.
struct line_batches {
  index_t lines, batch_size;

  [[nodiscard]] index_t count() const { return (lines + batch_size - 1) / batch_size; }
  /// Returns the first line of a batch; batches beyond the last are empty.
  [[nodiscard]] index_t begin(index_t batch) const { return std::min(batch * batch_size, lines); }
  [[nodiscard]] index_t size(index_t batch) const { return begin(batch + 1) - begin(batch); }
};

}  // namespace tridia::distributed
