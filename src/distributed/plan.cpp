// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/plan.hpp"
#include "core/dispatch.hpp"
#include "core/joining.hpp"
#include "distributed/agreement.hpp"
#include "distributed/decay.hpp"
#include "distributed/interface.hpp"
#include "distributed/lines.hpp"
#include "distributed/model.hpp"
#include "distributed/part.hpp"
#include "distributed/verdicts.hpp"
#include "layout/resolve.hpp"
#include "solver/host_pointer.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>

namespace tridia::distributed {

struct plan::state {
  grid ranks;
  tridia::problem problem;
  plan_options options;
  std::shared_ptr<transport> by;
  int axis = 0;
  layout::resolved shapes{};
  layout::geometry geometry{};
  strategy_choice chosen{};
  // Lines that do not cross ranks are any plan's; or else the three parts of those that do.
  std::unique_ptr<const tridia::plan> whole{};
  std::unique_ptr<const part> rows{}, rows_alone{};  // with right-hand sides, and without
  std::unique_ptr<interface_systems> systems{};
  std::unique_ptr<verdicts> found{};
  std::vector<std::byte> memory{};

  // Of an execution between start and finish.
  bool started = false;
  solver::operands arrays{};
  step_seconds seconds{}, of_last{};

  [[nodiscard]] index_t lines() const { return geometry.matrices.size * geometry.right_sides.size; }
};

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

/// Every axis' cuts, one after another.
std::vector<index_t> all_cuts(const grid& g) {
  std::vector<index_t> all;
  for (std::size_t a = 0; a < g.ranks().size(); ++a) {
    all.insert(all.end(), g.cuts(static_cast<int>(a)).begin(), g.cuts(static_cast<int>(a)).end());
  }
  return all;
}

index_t bits(double v) { return std::bit_cast<index_t>(v); }

agreement agreement_of(const plan::state& s) {
  const tridia::problem& p = s.problem;
  const plan_options& o = s.options;
  const int rank = static_cast<int>(s.ranks.ranks().size());
  const auto one = [](auto v) { return std::vector<index_t>{static_cast<index_t>(v)}; };
  agreement a(*s.by);
  a.on("plan", std::string_view("plan"))
      .on("grid", all_cuts(s.ranks))
      .on("type", one(p.type))
      .on("axis", one(p.axis < 0 ? p.axis + rank : p.axis))
      .on("right_hand_sides", one(p.right_hand_sides))
      .on("boundary", one(p.boundary))
      .on("pivoting", one(p.pivoting))
      .on("strategy", one(o.strategy))
      .on("tolerance", one(bits(o.tolerance)))
      .on("influence", std::vector<index_t>{o.influence.has_value(), bits(o.influence.value_or(0))})
      .on("interface_bytes", one(o.interface_bytes))
      .on("statuses", one(o.statuses));
  return a;
}

void check_problem(plan::state& s) {
  tridia::problem& p = s.problem;
  const int size = s.by->size();
  if (size != s.ranks.size()) {
    refuse("communicator: has " + std::to_string(size) + " ranks, but the grid " +
           std::to_string(s.ranks.size()));
  }
  const std::vector<index_t> own = s.ranks.block(s.by->rank()).extents;
  if (p.extents.empty()) p.extents = own;
  if (p.extents != own) {
    refuse("extents: are " + layout::shape_text(p.extents) + ", but the block of rank " +
           std::to_string(s.by->rank()) + " has " + layout::shape_text(own));
  }
  if (p.operation != operation::none) {
    refuse(errc::unsupported, "operation: " + std::string(name(p.operation)) +
                                  " would need coefficients of other ranks: lines that cross ranks "
                                  "are solved with A alone");
  }
  if (p.short_off_diagonals) {
    refuse(errc::unsupported,
           "short_off_diagonals: rows at the ends of a block have neighbours on "
           "other ranks: off-diagonals need as many entries as the block");
  }
  if (!p.offsets.empty()) {
    refuse(errc::unsupported, "offsets: a ragged batch cannot be spread over ranks");
  }
  if (s.options.threads < 0) {
    refuse("threads: " + std::to_string(s.options.threads) + " is below 0");
  }
  if (!(s.options.tolerance >= 0)) {
    refuse("tolerance: " + std::to_string(s.options.tolerance) + " is not 0 or more");
  }
  s.shapes = layout::resolve(p);
  s.axis = s.shapes.axis - 1;
  tridia::problem open = p;  // what is beyond the ends of a block is not for its geometry to know
  open.boundary = boundary::regular;
  s.geometry = layout::make_geometry(open, s.shapes);
}

/// The most lines that any rank has: all ranks must choose alike.
double most_lines(const plan::state& s) {
  double lines = static_cast<double>(s.problem.right_hand_sides);
  for (int a = 0; a < static_cast<int>(s.ranks.ranks().size()); ++a) {
    const std::vector<index_t>& cuts = s.ranks.cuts(a);
    index_t most = 0;
    for (std::size_t k = 1; k < cuts.size(); ++k) most = std::max(most, cuts[k] - cuts[k - 1]);
    if (a != s.axis) lines *= static_cast<double>(most);
  }
  return lines;
}

template <pivoting P>
interface_size words_of() {
  using chunk = core::chunk<double, P>;
  return {core::words_of<typename chunk::equations, double>,
          core::words_of<typename chunk::ends, double>, 0};
}

void choose(plan::state& s) {
  interface_size size = s.problem.pivoting == pivoting::none ? words_of<pivoting::none>()
                                                             : words_of<pivoting::partial>();
  size.bytes = static_cast<double>(size_of(s.problem.type));
  s.chosen =
      choose_strategy(s.options, s.problem.pivoting, s.ranks.ranks()[s.axis], most_lines(s), size);
}

/// Every right-hand side read where the diagonal lies, which is there without any.
layout::geometry without_rhs(layout::geometry g) {
  g.lines[layout::rhs] = g.lines[layout::diag];
  for (int k = 0; k < g.matrices.count; ++k) {
    g.matrices.at[k].stride[layout::rhs] = g.matrices.at[k].stride[layout::diag];
  }
  return g;
}

void make_parts(plan::state& s, index_t order) {
  const tridia::problem& p = s.problem;
  const int me = s.by->rank(), count = s.ranks.ranks()[s.axis];
  if (count == 1) {
    s.whole = std::make_unique<tridia::plan>(p, tridia::options{.threads = s.options.threads});
    s.chosen.reason += "; " + s.whole->reason();
    s.memory.resize(s.whole->workspace_bytes());
    return;
  }
  s.geometry = number_lines(s.geometry, s.shapes, order);
  const int here = s.ranks.coordinates(me)[s.axis];
  const bool periodic = p.boundary == boundary::periodic;
  part_task rows{
      p.type,           p.pivoting, s.geometry, periodic || here > 0, periodic || here + 1 < count,
      s.options.threads};
  s.rows = make_cpu_part(rows);
  rows.geometry = without_rhs(s.geometry);
  s.rows_alone = make_cpu_part(rows);
  const line_of_ranks line{s.ranks.line(me, s.axis), here};
  s.systems = make_interface(s.chosen.strategy,
                             {p.type, p.pivoting, p.boundary, line, s.lines(),
                              s.options.interface_bytes, s.options.threads},
                             *s.by);
  const std::vector<index_t>& cuts = s.ranks.cuts(s.axis);
  s.found =
      std::make_unique<verdicts>(line, s.lines(), verdicts::place{cuts[here], cuts.back()}, *s.by);
  s.memory.resize(s.rows->memory_bytes() + solver::alignment);
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

plan::plan(const grid& g, tridia::problem p, communicator ranks, const plan_options& o) {
  try {
    auto s = std::unique_ptr<state>(new state{g, std::move(p), o, ranks.by()});
    agreement_of(*s).reach([&] { check_problem(*s); });
    choose(*s);
    index_t order[] = {wished_order(s->shapes)};
    s->by->maxima(order);
    // Memory may run out on one rank alone.
    agreement(*s->by).reach([&] { make_parts(*s, order[0]); });
    state_ = std::move(s);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory, "a plan: host memory ran out");
  }
}

plan::~plan() {
  if (!state_) return;
  const std::shared_ptr<transport> by = state_->by;
  by->dispose(std::move(state_));
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
  s.started = true;
  s.seconds = {};
  if (s.whole || s.systems->slabs() == 0) return;
  const parcels& cut = s.systems->cut();
  timed(s.seconds.reduce,
        [&] { s.rows->reduce(s.arrays, cut, 0, cut.count(), s.systems->equations()); });
  timed(s.seconds.interface, [&] { s.systems->start(0); });
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
                       s.systems->cut().count(), s.systems->equations());
  decay all = decay_of(s.problem.type, s.systems->cut(), s.systems->equations());
  // Numbers that are not negative are ordered as their bits are.
  index_t heard[] = {bits(all.through_left), bits(all.through_right), bits(all.across_left),
                     bits(all.across_right)};
  s.by->maxima(heard);
  const auto number = [&](int k) { return std::bit_cast<double>(heard[k]); };
  return neglected({number(0), number(1), number(2), number(3)});
}

}  // namespace tridia::distributed
