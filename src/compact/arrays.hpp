// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"
#include "tridia/compact.hpp"

#include <utility>

namespace tridia::compact {

/// The two arrays of a grid as real numbers: fields first, then the axes, then the parts of a
/// complex number.
struct grid_arrays {
  problem shape;  // for the checks that plans make
  layout::resolved resolved;

  [[nodiscard]] bool empty() const { return resolved.out.empty(); }
  /// Throws for pointers that cannot be these arrays; `where.check_pointer` for those out of reach.
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

/// Throws `error` for what is no grid, whatever the scheme.
void check_grid(const grid&, const options&);
/// Its axis, counted from the first one.
std::size_t checked_axis(const grid&);

/// Entries of a line of the array that is read and of the one that is written.
struct line_extents {
  index_t in, out;
};
/// Of an operator from so many points to so many rows; its adjoint goes the other way.
constexpr line_extents line_extents_of(operation o, index_t points, index_t rows) {
  return o == operation::none ? line_extents{points, rows} : line_extents{rows, points};
}

/// The other axes have the grid's extents. Throws `error`.
grid_arrays arrays_of(const grid&, std::size_t axis, line_extents);

bool needs_closure(const grid&);
/// Of a scheme that need not have one, if no end asks for it.
closure usual_closure(const scheme&, const grid&);

}  // namespace tridia::compact
