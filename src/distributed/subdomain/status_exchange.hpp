// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/subdomain/interface.hpp"
#include "layout/geometry.hpp"
#include "solver/local_status.hpp"

namespace tridia::distributed {

/// Holds a rank's first row of its lines, and the number of rows of whole lines.
struct line_place {
  index_t first_row, rows;
};

/// Makes the status found of each line on any of its ranks known to all of them.
class status_exchange {
 public:
  virtual ~status_exchange() = default;
  /// Returns where an expansion enters statuses: one for each line, as local_status.hpp says.
  [[nodiscard]] virtual index_t* found() = 0;
  /// Sets `found` from the statuses of systems, which concern this rank's rows alone.
  virtual void take(const layout::geometry&, const index_t* status, void* stream) = 0;
  /// Reduces the statuses that every rank has entered for all lines, so that they are equal on all
  /// ranks. All ranks call it.
  virtual void allreduce(void* stream) = 0;
  /// Writes the status of each system, from the lines of all its right-hand sides; after
  /// `allreduce`.
  virtual void enter(const layout::geometry&, index_t* status, void* stream) const = 0;
  /// Fills x, of `type`, with NaN in all rows here of the lines of systems whose status is not 0,
  /// as it was entered. `status` may be null where each system is one line; after `allreduce`.
  virtual void fill(const layout::geometry&, const index_t* status, value_type type, void* x,
                    void* stream) const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace tridia::distributed
