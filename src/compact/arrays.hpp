// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"
#include "tridia/compact.hpp"

#include <utility>

namespace tridia::compact {

/// Describes the two arrays of a grid as real numbers: fields first, then the axes, then the parts
/// of a complex number.
struct grid_arrays {
  problem shape;  // for the checks that plans make
  layout::resolved resolved;

  [[nodiscard]] bool empty() const { return resolved.out.empty(); }
  /// Throws for pointers that cannot be these arrays; `where.check_pointer` throws for memory that
  /// the backend cannot access.
  template <class Where>
  void check(const Where& where, const void* in, const void* out) const {
    for (const auto& [array, p] :
         {std::pair{&resolved.in[layout::rhs_in], in}, std::pair{&resolved.out, out}}) {
      check_present(*array, p);
      if (!array->empty()) where.check_pointer(array->name, p);
    }
    check_apart(in, out);
  }

 private:
  static void check_present(const layout::resolved_array&, const void* p);
  void check_apart(const void* in, const void* out) const;
};

/// Throws `error` if the grid is invalid for every scheme.
void check_grid(const grid&, const options&);
/// Returns the grid's axis, counted from the first one.
std::size_t checked_axis(const grid&);

/// Holds the entries per line of the array that is read and of the one that is written.
struct line_extents {
  index_t in, out;
};
/// Returns the extents of an operator from `points` to `rows`; its adjoint exchanges the two.
constexpr line_extents line_extents_of(operation o, index_t points, index_t rows) {
  return o == operation::none ? line_extents{points, rows} : line_extents{rows, points};
}

/// Describes the arrays; the other axes have the grid's extents. Throws `error`.
grid_arrays arrays_of(const grid&, std::size_t axis, line_extents);

bool needs_closure(const grid&);
/// Returns the closure of a scheme, which need not have one if no end asks for it.
closure usual_closure(const scheme&, const grid&);

}  // namespace tridia::compact
