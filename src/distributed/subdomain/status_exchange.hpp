// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/subdomain/interface.hpp"
#include "layout/geometry.hpp"
#include "solver/local_status.hpp"

namespace tridia::distributed {

/// A rank's first row of its lines, and the rows of whole lines.
struct line_place {
  index_t first_row, rows;
};

/// What is found of each line on any of its ranks becomes known to all of them.
class status_exchange {
 public:
  virtual ~status_exchange() = default;
  /// What an expansion enters: an entry for each line, as local_status.hpp says.
  [[nodiscard]] virtual index_t* found() = 0;
  /// The same from statuses of systems here, the rows here alone.
  virtual void take(const layout::geometry&, const index_t* status, void* stream) = 0;
  /// Of all lines, of which every rank has entered what it found, the same on all of them. All of
  /// them call it.
  virtual void allreduce(void* stream) = 0;
  /// The status of each system, of the lines of all its right-hand sides; after `allreduce`.
  virtual void enter(const layout::geometry&, index_t* status, void* stream) const = 0;
  /// Fills x, of `type`, with NaN in all rows here of the lines of systems whose status is not 0,
  /// as it was entered. `status` may be null where each system is one line; after `allreduce`.
  virtual void fill(const layout::geometry&, const index_t* status, value_type type, void* x,
                    void* stream) const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace tridia::distributed
