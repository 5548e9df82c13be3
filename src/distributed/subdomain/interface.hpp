// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/subdomain/line_batches.hpp"
#include "distributed/transport.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tridia::distributed {

/// Holds the ranks of a line, in order, and the position of this rank among them.
struct line_of_ranks {
  std::vector<int> ranks;
  int here;

  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
};

struct interface_task {
  value_type type;
  tridia::pivoting pivoting;
  tridia::boundary boundary;
  line_of_ranks line;
  index_t lines;
  std::size_t most_bytes;  // for the equations of other ranks
  int threads;
};

/// Solves the interface systems of a rank's lines, from its equations to its interface unknowns,
/// by messages. It solves a slab of batches at a time, in order; the next may start once one is
/// finished.
class interface_systems {
 public:
  virtual ~interface_systems() = default;
  [[nodiscard]] virtual const line_batches& cut() const = 0;
  [[nodiscard]] virtual index_t batches_a_slab() const = 0;
  /// Returns the equations of all batches; these and the ends lie in memory of the object.
  [[nodiscard]] virtual void* equations() = 0;
  [[nodiscard]] virtual std::size_t equation_bytes() const = 0;
  [[nodiscard]] virtual const void* unknowns() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  virtual void start(index_t slab, void* stream) = 0;
  virtual void finish(index_t slab, void* stream) = 0;

  [[nodiscard]] index_t slabs() const {
    return (cut().count() + batches_a_slab() - 1) / batches_a_slab();
  }
};

}  // namespace tridia::distributed
