// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/refuse.hpp"
#include "distributed/compact/compact_operator_state.hpp"

#include <algorithm>
#include <utility>

namespace tridia::distributed {
namespace {

using op_state = compact_operator::state;

/// This is the number of slabs whose messages travel while one slab is worked on.
constexpr std::size_t ahead = 2;

void apply_whole(const op_state& s) {
  const compact::call& c = s.call;
  const execution e{
      .workspace = s.memory.get(), .workspace_bytes = s.memory_bytes, .stream = c.stream};
  c.accumulate ? s.whole->apply_add(c.s, c.in, c.out, e) : s.whole->apply(c.in, c.out, e);
}

/// Returns the call of a slab: the arrays that it reads and writes.
compact::call call_of(const op_state& s, const slab& part) {
  const auto size = static_cast<index_t>(size_of(s.arrays.shape.type));
  compact::call c = s.call;
  if (part.from_field) c.in = s.field.get();
  if (part.to_field) c.out = s.field.get(), c.s = 1, c.accumulate = false;
  c.in = static_cast<const std::byte*>(c.in) + part.in * size;
  c.out = static_cast<std::byte*>(c.out) + part.out * size;
  return c;
}

/// Decides what the kernel that works on a slab's rows does with its sums: it adds shares up, if it
/// can, and computes them as well. Those of an application that comes in two halves travel between
/// these.
void decide(const op_state& s, slab& part) {
  part.exchange = nullptr;
  if (!part.may_exchange || !part.rows->can_exchange(call_of(s, part).in)) return;
  if (s.at_once) part.exchange = part.sums->in_kernel(true);
  if (part.exchange == nullptr) part.exchange = part.sums->in_kernel(false);
}
bool computes_shares(const slab& part) {
  return part.exchange != nullptr && part.exchange->own == nullptr;
}

/// Sends the sums of slabs until `count` are sent, where `worked` have been worked on: what a slab
/// reads in the second step has been written in the first one by then.
void send(op_state& s, std::size_t count, std::size_t worked) {
  const std::size_t ready = static_cast<std::size_t>(s.options.slabs) + worked;
  for (; s.sent < std::min({count, ready, s.slabs.size()}); ++s.sent) {
    slab& part = s.slabs[s.sent];
    decide(s, part);
    if (computes_shares(part)) continue;
    part.sums->sum(call_of(s, part).in, s.call.stream);
    s.times->record(&phase_times::reduce, &step_times::halo, s.call.stream);
    part.sums->send(s.call.stream);
    s.times->record(&phase_times::interface, &step_times::halo, s.call.stream);
  }
}

/// Adds shares up, and works on the rows of a slab, in one kernel.
void work_exchanging(op_state& s, const slab& part) {
  compact::call c = call_of(s, part);
  c.exchange = part.exchange;
  part.sums->begin_kernel(s.call.stream);
  part.rows->apply(c);
  part.sums->end_kernel(s.call.stream);
}

void work_with_sums(op_state& s, const slab& part) {
  part.sums->add(s.call.stream);
  s.times->record(&phase_times::interface, &step_times::halo, s.call.stream);
  compact::call c = call_of(s, part);
  if (part.scaling) {
    part.scaling->apply(c);
    c.in = c.out;
  }
  c.prescribed = part.sums->values();
  if (part.rows) part.rows->apply(c);
}

void work(op_state& s, const slab& part) {
  part.exchange != nullptr ? work_exchanging(s, part) : work_with_sums(s, part);
  s.gathered ? s.times->record(&phase_times::reduce, &step_times::right_hand_sides, s.call.stream)
             : s.times->record(&phase_times::expand, &step_times::primary, s.call.stream);
}

/// Solves in the field, which holds the right-hand sides of all slabs, and writes `out`.
void solve_gathered(op_state& s) {
  const gathered_solve& g = *s.gathered;
  void *const field = s.field.get(), *const stream = s.call.stream;
  g.primary->execute(
      field, field,
      {.workspace = s.memory.get(), .workspace_bytes = s.memory_bytes, .stream = stream});
  s.times->record(&phase_times::reduce, &step_times::primary, stream);
  g.faces->gather(field, stream);
  s.times->record(&phase_times::interface, &step_times::faces, stream);
  g.faces->solve(stream);
  s.times->record(&phase_times::interface, &step_times::reduced, stream);
  g.faces->sum(field, s.call.out, s.call.s, s.call.accumulate, stream);
  s.times->record(&phase_times::expand, &step_times::sum, stream);
}

void begin(op_state& s, const compact::call& call, bool at_once) {
  if (s.started) refuse("start: the application before has not been finished");
  s.arrays.check(*s.where, call.in, call.out);
  const at_backend scope(*s.where);
  s.call = call;
  s.call.workspace = s.memory.get();
  s.times->begin();
  s.times->start(call.stream);
  s.sent = 0, s.at_once = at_once;
  send(s, ahead, 0);
  s.started = true;
}

}  // namespace

compact_operator::~compact_operator() {
  if (!state_) return;
  const std::shared_ptr<transport> by = state_->transport;
  const bool travelling = state_->started;
  by->dispose(std::move(state_), travelling);
}
compact_operator::compact_operator(compact_operator&&) noexcept = default;
compact_operator& compact_operator::operator=(compact_operator&& other) noexcept {
  compact_operator moved(std::move(other));
  std::swap(state_, moved.state_);
  return *this;
}

const decomposition& compact_operator::out_decomposition() const noexcept {
  return state_->out_ranks;
}
const std::string& compact_operator::warning() const noexcept { return state_->warning; }
const std::vector<int>& compact_operator::peers() const noexcept { return state_->peers; }
phase_times compact_operator::timings() const { return state_->times->read().phases; }
step_times compact_operator::step_timings() const { return state_->times->read().steps; }
std::size_t compact_operator::workspace_bytes() const noexcept {
  std::size_t bytes = state_->memory_bytes + state_->field_bytes;
  for (const slab& part : state_->slabs) bytes += part.sums->bytes();
  if (state_->gathered) bytes += state_->gathered->faces->bytes();
  return bytes;
}

void compact_operator::apply(const void* in, void* out, void* stream) {
  begin(*state_, {in, out, 1, false, nullptr, nullptr, stream}, true);
  finish();
}
void compact_operator::apply_add(double s, const void* in, void* out, void* stream) {
  begin(*state_, {in, out, s, true, nullptr, nullptr, stream}, true);
  finish();
}

void compact_operator::start(const void* in, void* out, void* stream) {
  begin(*state_, {in, out, 1, false, nullptr, nullptr, stream}, false);
}
void compact_operator::start_add(double s, const void* in, void* out, void* stream) {
  begin(*state_, {in, out, s, true, nullptr, nullptr, stream}, false);
}

void compact_operator::finish() {
  state& s = *state_;
  if (!s.started) refuse("finish: no application has been started");
  s.started = false;
  const at_backend scope(*s.where);
  s.times->start(s.call.stream);
  if (s.whole) {
    apply_whole(s);
    s.times->record(&phase_times::expand, &step_times::primary, s.call.stream);
  }
  for (std::size_t k = 0; k < s.slabs.size(); ++k) {
    send(s, k + 1 + ahead, k);
    work(s, s.slabs[k]);
  }
  if (s.gathered) solve_gathered(s);
}

}  // namespace tridia::distributed
