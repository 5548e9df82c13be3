// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/decay.hpp"
#include "distributed/plan_state.hpp"
#include "solver/host_pointer.hpp"

#include <chrono>
#include <utility>

namespace tridia::distributed {
namespace {

[[noreturn]] void refuse(errc code, const std::string& sentence) { throw error(code, sentence); }
[[noreturn]] void refuse(const std::string& sentence) { refuse(errc::invalid_argument, sentence); }

/// Adds the time that passes while f runs.
template <class F>
void timed(double& seconds, F f) {
  const auto began = std::chrono::steady_clock::now();
  f();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void check_array(const layout::resolved_array& a, const void* p) {
  if (a.empty()) return;
  if (p == nullptr) {
    refuse(std::string(a.name) + ": is null, but its extents are " + layout::shape_text(a.extents) +
           " (right-hand sides first)");
  }
  solver::check_host_pointer(a.name, p);
}

/// A status for each system, of the lines of all its right-hand sides.
void enter_statuses(const plan::state& s, const std::vector<index_t>& of_lines, index_t* status) {
  const layout::geometry& g = s.geometry;
  const auto for_each = [&](auto f) {
    for (index_t line = 0; line < s.lines(); ++line) {
      index_t at[layout::array_count];
      g.matrices.offsets(line, at);
      f(status[at[layout::status]], of_lines[static_cast<std::size_t>(line)]);
    }
  };
  for_each([](index_t& to, index_t) { to = 0; });
  for_each([](index_t& to, index_t of_line) { to = stronger(to, of_line); });
}

void solve_whole(plan::state& s) {
  const solver::operands& o = s.arrays;
  timed(s.seconds.expand, [&] {
    s.whole->execute(
        o.in[layout::sub], o.in[layout::diag], o.in[layout::sup], o.in[layout::rhs], o.x,
        {.workspace = s.memory.data(), .workspace_bytes = s.memory.size(), .status = o.status});
  });
  s.of_last = s.seconds;
}

}  // namespace

plan::~plan() {
  if (!state_) return;
  const std::shared_ptr<transport> by = state_->by;
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
const step_seconds& plan::steps() const noexcept { return state_->of_last; }
std::size_t plan::workspace_bytes() const noexcept {
  const state& s = *state_;
  return s.memory.size() + (s.whole ? 0 : s.systems->bytes() + s.found->bytes());
}

void plan::execute(const void* dl, const void* d, const void* du, const void* rhs, void* x,
                   index_t* status) {
  start(dl, d, du, rhs, x, status);
  finish();
}

void plan::start(const void* dl, const void* d, const void* du, const void* rhs, void* x,
                 index_t* status) {
  state& s = *state_;
  if (s.started) refuse("start: the execution before has not been finished");
  const void* const inputs[] = {dl, d, du, rhs};
  for (int k = 0; k < layout::input_count; ++k) check_array(s.shapes.in[k], inputs[k]);
  check_array(s.shapes.out, x);
  layout::check_overlap(s.problem, s.shapes, inputs, x);
  if (status != nullptr && !s.options.statuses) {
    refuse("status: is given, but the plan was made with statuses off");
  }
  s.arrays = {{dl, d, du, rhs}, x, status};
  s.seconds = {};
  if (!s.whole && s.systems->slabs() > 0) {
    const parcels& cut = s.systems->cut();
    timed(s.seconds.reduce, [&] {
      s.rows->reduce(s.arrays, cut, 0, cut.count(), s.systems->equations(),
                     solver::align(s.memory.data()));
    });
    timed(s.seconds.interface, [&] { s.systems->start(0); });
  }
  s.started = true;
}

void plan::finish() {
  state& s = *state_;
  if (!s.started) refuse("finish: no execution has been started");
  s.started = false;
  if (s.whole) return solve_whole(s);
  interface_systems& systems = *s.systems;
  const index_t slabs = systems.slabs(), parcels_a_slab = systems.parcels_a_slab();
  for (index_t slab = 0; slab < slabs; ++slab) {
    timed(s.seconds.interface, [&] {
      systems.finish(slab);
      // The next slab's equations travel while this one's lines are expanded.
      if (slab + 1 < slabs) systems.start(slab + 1);
    });
    timed(s.seconds.expand, [&] {
      s.rows->expand(s.arrays, systems.cut(), slab * parcels_a_slab, (slab + 1) * parcels_a_slab,
                     systems.ends(), s.found->found(), solver::align(s.memory.data()));
    });
  }
  if (s.options.statuses) {
    timed(s.seconds.statuses, [&] {
      const std::vector<index_t>& of_lines = s.found->statuses();
      if (s.arrays.status != nullptr) enter_statuses(s, of_lines, s.arrays.status);
    });
  }
  s.of_last = s.seconds;
}

double plan::influence(const void* dl, const void* d, const void* du) {
  state& s = *state_;
  if (s.started) refuse("influence: an execution has been started, and not finished");
  if (s.problem.pivoting != pivoting::none) {
    refuse(errc::unsupported, "influence: is known without pivoting only");
  }
  const void* const inputs[] = {dl, d, du};
  for (int k = 0; k < layout::rhs_in; ++k) check_array(s.shapes.in[k], inputs[k]);
  if (s.whole) return 0;
  s.rows_alone->reduce({{dl, d, du, d}, nullptr, nullptr}, s.systems->cut(), 0,
                       s.systems->cut().count(), s.systems->equations(),
                       solver::align(s.memory.data()));
  decay all = decay_of(s.problem.type, s.systems->cut(), s.systems->equations());
  index_t heard[] = {bits(all.through_left), bits(all.through_right), bits(all.across_left),
                     bits(all.across_right)};
  s.by->maxima(heard);
  const auto number = [&](int k) { return std::bit_cast<double>(heard[k]); };
  return neglected({number(0), number(1), number(2), number(3)});
}

}  // namespace tridia::distributed
