// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/prepared_operator.hpp"

#include <new>
#include <utility>

namespace tridia {

struct compact_operator::state {
  compact::prepared_operator made;
  std::string description;
  std::unique_ptr<const compact::operator_executor> executor;
};

namespace {

std::unique_ptr<compact_operator::state> make_state(const scheme& s, const closure& c, grid g,
                                                    options o) {
  auto made = std::make_unique<compact_operator::state>();
  made->made = compact::prepare(s, c, std::move(g), std::move(o));
  made->executor = compact::make_operator_executor(made->made.make_task());
  made->description = made->made.description(made->executor->step_count());
  return made;
}

void run(const compact_operator::state& s, const void* in, void* out, double factor,
         bool accumulate, const execution& e) {
  s.made.arrays.check(*s.executor, in, out);
  compact::check_workspace(*s.executor, s.executor->workspace_bytes(), e);
  if (s.made.arrays.empty()) return;
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

const grid& compact_operator::grid() const noexcept { return state_->made.grid; }
const std::vector<index_t>& compact_operator::in_extents() const noexcept {
  return state_->made.in_extents;
}
const std::vector<index_t>& compact_operator::out_extents() const noexcept {
  return state_->made.out_extents;
}
backend compact_operator::backend() const noexcept { return state_->made.options.backend; }
int compact_operator::device() const noexcept { return state_->executor->device(); }
int compact_operator::threads() const noexcept { return state_->executor->threads(); }
std::size_t compact_operator::workspace_bytes() const noexcept {
  return state_->executor->workspace_bytes();
}
const std::string& compact_operator::warning() const noexcept { return state_->made.warning; }
const std::string& compact_operator::description() const noexcept { return state_->description; }

void compact_operator::apply(const void* in, void* out, const execution& e) const {
  run(*state_, in, out, 1, false, e);
}

void compact_operator::apply_add(double s, const void* in, void* out, const execution& e) const {
  run(*state_, in, out, s, true, e);
}

void compact_operator::require_type(value_type type) const {
  compact::require_type(type, state_->made.grid.type);
}

std::unique_ptr<std::byte[]> compact_operator::host_workspace() const {
  return compact::host_workspace(backend(), workspace_bytes());
}

}  // namespace tridia
