// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/arrays.hpp"
#include "compact/assemble.hpp"
#include "compact/operator_executor.hpp"
#include "core/refuse.hpp"

#include <new>
#include <utility>

namespace tridia {

struct compact_operator::state {
  tridia::grid grid;
  tridia::options options;
  std::vector<index_t> in_extents, out_extents;
  std::string warning, description;
  compact::grid_arrays arrays;
  std::unique_ptr<const compact::operator_executor> executor;
};

namespace {

std::string description_of(const scheme& s, const closure& c, const grid& g, int steps) {
  std::string quantity = s.name() + ' ' + std::string(name(s.quantity()));
  if (s.staggering() != tridia::staggering::none)
    quantity += ' ' + std::string(name(s.staggering()));
  if (compact::needs_closure(g)) quantity += ", closure " + c.name();
  if (g.operation == operation::none) return quantity + ": out = scale A^-1 B in";
  const std::string adjoint = "adjoint of " + quantity + ": out = B^T A^-T scale in";
  if (steps == 1) return adjoint;
  return adjoint + ", in " + (steps == 2 ? "two" : "three") +
         " steps through a field in the workspace";
}

std::unique_ptr<compact_operator::state> make_state(const scheme& s, const closure& c, grid g,
                                                    options o) {
  auto made = std::make_unique<compact_operator::state>();
  compact::check_grid(g, o);
  const std::size_t axis = compact::checked_axis(g);
  line_operator::specification line = compact::assemble(s, c, g, g.extents[axis]);
  const compact::line_extents along = compact::line_extents_of(g.operation, line.points, line.rows);
  made->in_extents = made->out_extents = g.extents;
  made->in_extents[axis] = along.in;
  made->out_extents[axis] = along.out;
  made->arrays = compact::arrays_of(g, axis, along);
  if (compact::needs_closure(g)) made->warning = closure_warning(s, c);
  const problem& shape = made->arrays.shape;
  made->executor = compact::make_operator_executor(
      {std::move(line), shape.type, layout::make_geometry(shape, made->arrays.resolved), o,
       g.operation});
  made->description = description_of(s, c, g, made->executor->step_count());
  made->grid = std::move(g);
  made->options = o;
  return made;
}

void check_workspace(const compact_operator::state& s, const execution& e) {
  const std::size_t needed = s.executor->workspace_bytes();
  if (needed == 0) return;
  if (e.workspace == nullptr || e.workspace_bytes < needed) {
    refuse("workspace: has " + std::to_string(e.workspace == nullptr ? 0 : e.workspace_bytes) +
           " bytes, but " + std::to_string(needed) + " are needed");
  }
  s.executor->check_pointer("workspace", e.workspace);
}

void run(const compact_operator::state& s, const void* in, void* out, double factor,
         bool accumulate, const execution& e) {
  s.arrays.check(*s.executor, in, out);
  check_workspace(s, e);
  if (s.arrays.empty()) return;
  s.executor->apply({in, out, factor, accumulate, nullptr, e.workspace, e.stream});
}

}  // namespace

compact_operator::compact_operator(const scheme& s, tridia::grid g, options o)
    : compact_operator(s, compact::usual_closure(s, g), g, std::move(o)) {}

compact_operator::compact_operator(const scheme& s, const closure& c, tridia::grid g, options o) try
    : state_(make_state(s, c, std::move(g), std::move(o))) {
} catch (const std::bad_alloc&) {
  throw error(errc::out_of_memory, "an operator: host memory ran out");
}

compact_operator::~compact_operator() = default;
compact_operator::compact_operator(compact_operator&&) noexcept = default;
compact_operator& compact_operator::operator=(compact_operator&&) noexcept = default;

const grid& compact_operator::grid() const noexcept { return state_->grid; }
const std::vector<index_t>& compact_operator::in_extents() const noexcept {
  return state_->in_extents;
}
const std::vector<index_t>& compact_operator::out_extents() const noexcept {
  return state_->out_extents;
}
backend compact_operator::backend() const noexcept { return state_->options.backend; }
int compact_operator::device() const noexcept { return state_->executor->device(); }
int compact_operator::threads() const noexcept { return state_->executor->threads(); }
std::size_t compact_operator::workspace_bytes() const noexcept {
  return state_->executor->workspace_bytes();
}
const std::string& compact_operator::warning() const noexcept { return state_->warning; }
const std::string& compact_operator::description() const noexcept { return state_->description; }

void compact_operator::apply(const void* in, void* out, const execution& e) const {
  run(*state_, in, out, 1, false, e);
}

void compact_operator::apply_add(double s, const void* in, void* out, const execution& e) const {
  run(*state_, in, out, s, true, e);
}

void compact_operator::require_type(value_type type) const {
  if (type == state_->grid.type) return;
  refuse("arrays: are of type " + std::string(name(type)) + ", but the operator is for " +
         std::string(name(state_->grid.type)));
}

std::unique_ptr<std::byte[]> compact_operator::host_workspace() const {
  if (backend() == backend::cuda) {
    refuse("workspace: must be given to an operator on a GPU, in its memory");
  }
  const std::size_t bytes = workspace_bytes();
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
  if (!memory) {
    throw error(errc::out_of_memory,
                "workspace: no host memory for " + std::to_string(bytes) + " bytes");
  }
  return memory;
}

}  // namespace tridia
