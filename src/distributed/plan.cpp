// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/refuse.hpp"
#include "distributed/decay.hpp"
#include "distributed/plan_state.hpp"

#include <utility>

namespace tridia::distributed {
namespace {

void check_array(const backend& where, const layout::resolved_array& a, const void* p) {
  if (a.empty()) return;
  if (p == nullptr) {
    refuse(std::string(a.name) + ": is null, but its extents are " + layout::shape_text(a.extents) +
           " (right-hand sides first)");
  }
  where.check_pointer(a.name, p);
}

/// Solves all rows of whole lines or, with constant coefficients, all rows of this rank.
void solve_whole(plan::state& s, index_t* status, double phase_times::*phase) {
  const solver::operands& o = s.arrays;
  const execution e{.workspace = s.memory.get(),
                    .workspace_bytes = s.whole->workspace_bytes(),
                    .status = status,
                    .stream = s.stream};
  if (s.constant()) {
    s.whole->execute(o.in[layout::rhs], o.x, e);
  } else {
    s.whole->execute(o.in[layout::sub], o.in[layout::diag], o.in[layout::sup], o.in[layout::rhs],
                     o.x, e);
  }
  s.times->record(phase, &step_times::primary, s.stream);
}

/// Adds to x what other ranks' right-hand sides contribute, by sums that have travelled while the
/// rows of this rank were solved.
void add_sums(plan::state& s) {
  s.sums->add(s.stream);
  s.times->record(&phase_times::interface, &step_times::halo, s.stream);
  s.sums->spread(s.arrays.x, s.stream);
  s.times->record(&phase_times::expand, &step_times::sum, s.stream);
}

/// Adds to x what the x of other ranks contribute.
void add_secondary(plan::state& s) {
  s.faces->gather(s.arrays.x, s.stream);
  s.times->record(&phase_times::interface, &step_times::faces, s.stream);
  s.faces->solve(s.stream);
  s.times->record(&phase_times::interface, &step_times::reduced, s.stream);
  s.faces->sum(s.arrays.x, s.arrays.x, 1, false, s.stream);
  s.times->record(&phase_times::expand, &step_times::sum, s.stream);
}

/// Solves lines of constant coefficients across ranks.
void solve_constant(plan::state& s) {
  auto* const status = static_cast<index_t*>(s.statuses.get());
  solve_whole(s, s.options.statuses ? status : nullptr,
              s.faces ? &phase_times::reduce : &phase_times::expand);
  s.faces ? add_secondary(s) : add_sums(s);
  if (s.options.statuses) s.found->take(s.geometry, status, s.stream);
}

void solve_arrays(plan::state& s) {
  if (s.fused) {
    s.fused->solve(s.arrays, s.found->found(), s.stream);
    s.times->record(&phase_times::expand, nullptr, s.stream);
    return;
  }
  interface_systems& systems = *s.systems;
  const index_t slabs = systems.slabs(), batches_a_slab = systems.batches_a_slab();
  for (index_t slab = 0; slab < slabs; ++slab) {
    systems.finish(slab, s.stream);
    // The next slab's equations travel while this one's lines are expanded.
    if (slab + 1 < slabs) systems.start(slab + 1, s.stream);
    s.times->record(&phase_times::interface, nullptr, s.stream);
    s.rows->expand(s.arrays, systems.cut(), slab * batches_a_slab, (slab + 1) * batches_a_slab,
                   systems.unknowns(), s.found->found(), s.stream);
    s.times->record(&phase_times::expand, nullptr, s.stream);
  }
}

/// Returns a geometry that reads every right-hand side where the diagonal lies, which exists even
/// if there is no right-hand side.
layout::geometry without_rhs(layout::geometry g) {
  g.lines[layout::rhs] = g.lines[layout::diag];
  for (int k = 0; k < g.matrices.count; ++k) {
    g.matrices.at[k].stride[layout::rhs] = g.matrices.at[k].stride[layout::diag];
  }
  return g;
}

}  // namespace

plan::~plan() {
  if (!state_) return;
  const std::shared_ptr<transport> by = state_->transport;
  const bool travelling = state_->started;
  by->dispose(std::move(state_), travelling);
}
plan::plan(plan&&) noexcept = default;
plan& plan::operator=(plan&& other) noexcept {
  plan moved(std::move(other));
  std::swap(state_, moved.state_);
  return *this;
}

strategy plan::strategy() const noexcept { return state_->chosen.strategy; }
const std::string& plan::reason() const noexcept { return state_->chosen.reason; }
index_t plan::systems() const noexcept { return state_->shapes.systems; }
phase_times plan::timings() const { return state_->times->read().phases; }
step_times plan::step_timings() const { return state_->times->read().steps; }
std::size_t plan::workspace_bytes() const noexcept {
  const state& s = *state_;
  return (s.whole ? s.whole->workspace_bytes() : 0) + (s.sums ? s.sums->bytes() : 0) +
         (s.faces ? s.faces->bytes() : 0) + (s.fused ? s.fused->bytes() : 0) +
         (s.systems ? s.rows->bytes() + s.systems->bytes() : 0) +
         (s.neighbours ? s.neighbours->bytes() : 0) + (s.found ? s.found->bytes() : 0);
}

void plan::execute(const void* dl, const void* d, const void* du, const void* rhs, void* x,
                   const execution& e) {
  start(dl, d, du, rhs, x, e);
  finish();
}

void plan::start(const void* dl, const void* d, const void* du, const void* rhs, void* x,
                 const execution& e) {
  state& s = *state_;
  index_t* const status = e.status;
  void* const stream = e.stream;
  if (s.started) refuse("start: the execution before has not been finished");
  const void* const inputs[] = {dl, d, du, rhs};
  const int first = s.constant() ? layout::rhs_in : 0;
  for (int k = 0; k < first; ++k) {
    if (inputs[k] != nullptr) {
      refuse(std::string(s.shapes.in[k].name) +
             ": is given, but the coefficients are constant: the plan has the matrix");
    }
  }
  for (int k = first; k < layout::input_count; ++k) {
    check_array(*s.where, s.shapes.in[k], inputs[k]);
  }
  check_array(*s.where, s.shapes.out, x);
  layout::check_overlap(s.problem, s.shapes, inputs, x);
  if (status != nullptr && !s.options.statuses) {
    refuse("status: is given, but the plan was made with statuses off");
  }
  if (status != nullptr) s.where->check_pointer("status", status);
  const at_backend scope(*s.where);
  s.arrays = s.operands_of(dl, d, du, rhs, x, status);
  s.stream = stream;
  s.times->begin();
  s.times->start(stream);
  if (s.sums) {
    s.sums->sum(rhs, stream);
    s.times->record(&phase_times::reduce, &step_times::halo, stream);
    s.sums->send(stream);
    s.times->record(&phase_times::interface, &step_times::halo, stream);
  } else if (s.fused || (s.systems && s.systems->slabs() > 0)) {
    if (s.neighbours) {
      s.neighbours->fetch(s.arrays, stream);
      s.times->record(&phase_times::interface, nullptr, stream);
    }
  }
  if (s.systems && s.systems->slabs() > 0) {
    const line_batches& cut = s.systems->cut();
    s.rows->reduce(s.arrays, cut, 0, cut.count(), s.systems->equations(), stream);
    s.times->record(&phase_times::reduce, nullptr, stream);
    s.systems->start(0, stream);
    s.times->record(&phase_times::interface, nullptr, stream);
  }
  s.started = true;
}

void plan::finish() {
  state& s = *state_;
  if (!s.started) refuse("finish: no execution has been started");
  s.started = false;
  const at_backend scope(*s.where);
  s.times->start(s.stream);
  if (s.ranks.ranks()[s.axis] == 1) {
    return solve_whole(s, s.arrays.status, &phase_times::expand);
  }
  s.constant() ? solve_constant(s) : solve_arrays(s);
  if (!s.options.statuses) return;
  s.found->allreduce(s.stream);
  index_t* const status = s.statuses_of_systems();
  if (status != nullptr) s.found->enter(s.geometry, status, s.stream);
  s.found->fill(s.geometry, status, s.problem.type, s.arrays.x, s.stream);
  s.times->record(&phase_times::statuses, nullptr, s.stream);
}

double plan::neglected_coupling(const void* dl, const void* d, const void* du) {
  state& s = *state_;
  if (s.started) refuse("neglected_coupling: an execution has been started, and not finished");
  if (s.problem.pivoting != pivoting::none || s.constant()) {
    throw error(
        errc::unsupported,
        "neglected_coupling: is known without pivoting only, and of coefficients in arrays");
  }
  const void* const inputs[] = {dl, d, du};
  for (int k = 0; k < layout::rhs_in; ++k) check_array(*s.where, s.shapes.in[k], inputs[k]);
  if (s.whole) return 0;
  const at_backend scope(*s.where);
  local_rows_task rows = s.rows_task();
  rows.geometry = without_rhs(rows.geometry);
  const solver::operands arrays = s.operands_of(dl, d, du, d, nullptr, nullptr);
  if (s.neighbours) s.neighbours->fetch(arrays, nullptr);
  // A plan that solves in one pass has no interface systems.
  std::unique_ptr<interface_systems> made;
  if (s.fused) made = s.where->make_interface(s.chosen.strategy, s.systems_task(), *s.transport);
  interface_systems& systems = made ? *made : *s.systems;
  const line_batches& cut = systems.cut();
  s.where->make_local_rows(rows)->reduce(arrays, cut, 0, cut.count(), systems.equations(), nullptr);
  std::vector<std::byte> equations(systems.equation_bytes());
  s.where->to_host(equations.data(), systems.equations(), equations.size());
  const decay all = decay_of(s.problem.type, cut, equations.data());
  index_t heard[] = {bits(all.through_left), bits(all.through_right), bits(all.neighbour_left),
                     bits(all.neighbour_right)};
  s.transport->maxima(heard);
  const auto number = [&](int k) { return std::bit_cast<double>(heard[k]); };
  return neglected({number(0), number(1), number(2), number(3)});
}

}  // namespace tridia::distributed
