// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <algorithm>

namespace tridia::distributed {

/// The lines of a rank, cut into batches that travel by themselves: batch after batch, in each
/// word after word, in each line after line.
struct line_batches {
  index_t lines, batch_size;

  [[nodiscard]] index_t count() const { return (lines + batch_size - 1) / batch_size; }
  /// The first line of a batch; batches beyond the last are empty.
  [[nodiscard]] index_t begin(index_t batch) const { return std::min(batch * batch_size, lines); }
  [[nodiscard]] index_t size(index_t batch) const { return begin(batch + 1) - begin(batch); }
};

}  // namespace tridia::distributed
