// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/prepared_operator.hpp"

#include "compact/assemble.hpp"

#include <new>
#include <utility>

namespace tridia::compact {
namespace {

std::string quantity_of(const scheme& s, const closure& c, const grid& g) {
  std::string quantity = s.name() + ' ' + std::string(name(s.quantity()));
  if (s.staggering() != tridia::staggering::none)
    quantity += ' ' + std::string(name(s.staggering()));
  if (needs_closure(g)) quantity += ", closure " + c.name();
  return quantity;
}

}  // namespace

prepared_operator prepare(const scheme& s, const closure& c, grid g, options o) {
  prepared_operator made{};
  check_grid(g, o);
  made.axis = checked_axis(g);
  made.line = assemble(s, c, g, g.extents[made.axis]);
  const line_extents along = line_extents_of(g.operation, made.line.points, made.line.rows);
  made.in_extents = made.out_extents = g.extents;
  made.in_extents[made.axis] = along.in;
  made.out_extents[made.axis] = along.out;
  made.arrays = arrays_of(g, made.axis, along);
  made.quantity = quantity_of(s, c, g);
  if (needs_closure(g)) made.warning = closure_warning(s, c);
  made.grid = std::move(g);
  made.options = std::move(o);
  return made;
}

task prepared_operator::make_task() const {
  return {line, arrays.shape.type, layout::make_geometry(arrays.shape, arrays.resolved), options,
          grid.operation};
}

std::string prepared_operator::description(int steps) const {
  if (grid.operation == operation::none) return quantity + ": out = scale A^-1 B in";
  const std::string adjoint = "adjoint of " + quantity + ": out = B^T A^-T scale in";
  if (steps == 1) return adjoint;
  return adjoint + ", in " + (steps == 2 ? "two" : "three") +
         " steps through a field in the workspace";
}

std::unique_ptr<std::byte[]> host_workspace(backend where, std::size_t bytes) {
  if (where == backend::cuda) {
    refuse("workspace: must be given to an operator on a GPU, in its memory");
  }
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
  if (!memory) {
    throw error(errc::out_of_memory,
                "workspace: no host memory for " + std::to_string(bytes) + " bytes");
  }
  return memory;
}

void require_type(value_type of_arrays, value_type of_operator) {
  if (of_arrays == of_operator) return;
  refuse("arrays: are of type " + std::string(name(of_arrays)) + ", but the operator is for " +
         std::string(name(of_operator)));
}

}  // namespace tridia::compact
