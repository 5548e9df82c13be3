// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/arrays.hpp"
#include "compact/assemble.hpp"
#include "compact/executor.hpp"
#include "compact/factors.hpp"
#include "distributed/agreement.hpp"
#include "distributed/backend.hpp"
#include "distributed/bits.hpp"
#include "distributed/lines.hpp"
#include "distributed/split_line.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace tridia::distributed {

struct compact_operator::state {
  grid ranks, out_ranks;
  tridia::grid lines;
  operator_options options;
  std::shared_ptr<transport> by;
  std::unique_ptr<const backend> where{};
  int axis = 0;
  std::string warning{};
  line_operator whole_line{};
  compact::grid_arrays arrays{};
  std::vector<int> peers{};
  // Lines that do not cross ranks are any operator's; or else what travels, and what is done here.
  std::unique_ptr<const tridia::compact_operator> whole{};
  std::unique_ptr<line_sums> sums{};
  std::unique_ptr<const compact::executor> rows{};
  std::shared_ptr<void> memory{};  // of `whole` or `rows`
  std::unique_ptr<laps> times{};

  // Of an application between start and finish.
  bool started = false;
  compact::call call{};

  [[nodiscard]] std::size_t memory_bytes() const {
    return whole ? whole->workspace_bytes() : rows->workspace_bytes();
  }
};

namespace {

using op_state = compact_operator::state;

[[noreturn]] void refuse(const std::string& sentence) {
  throw error(errc::invalid_argument, sentence);
}

std::vector<index_t> bits_of(const std::vector<double>& values) {
  std::vector<index_t> all;
  for (const double v : values) all.push_back(bits(v));
  return all;
}

std::vector<index_t> bits_of(const std::vector<compact_row>& rows) {
  std::vector<index_t> all;
  for (const compact_row& r : rows) {
    all.insert(all.end(), {bits(r.sub), bits(r.diag), bits(r.sup), r.first});
    const std::vector<index_t> weights = bits_of(r.weights);
    all.insert(all.end(), weights.begin(), weights.end());
  }
  return all;
}

agreement agreement_of(const op_state& s, const scheme& what, const closure& c) {
  const tridia::grid& g = s.lines;
  const int rank = static_cast<int>(s.ranks.ranks().size());
  const auto one = [](auto v) { return std::vector<index_t>{static_cast<index_t>(v)}; };
  std::vector<compact_row> closure_rows = c.head();
  closure_rows.insert(closure_rows.end(), c.tail().begin(), c.tail().end());
  agreement a(*s.by);
  a.on("operator", std::string_view("operator"))
      .on(s.ranks)
      .on("scheme", bits_of({what.interior()}))
      .on("quantity", one(what.what()))
      .on("staggering", one(what.lies()))
      .on("closure", bits_of(closure_rows))
      .on("type", one(g.type))
      .on("axis", one(g.axis < 0 ? g.axis + rank : g.axis))
      .on("spacing", one(bits(g.spacing)))
      .on("boundary", one(g.boundary))
      .on("ends", std::vector<index_t>{static_cast<index_t>(g.head), static_cast<index_t>(g.tail)})
      .on("metric", bits_of(g.metric))
      .on("fields", one(g.fields))
      .on("tolerance", one(bits(s.options.tolerance)));
  return a;
}

/// The blocks along the axis with rows in place of points.
grid grid_of_rows(const grid& points, int axis, index_t rows) {
  std::vector<std::vector<index_t>> parts;
  for (int a = 0; a < static_cast<int>(points.ranks().size()); ++a) {
    const std::vector<index_t>& cuts = points.cuts(a);
    parts.emplace_back();
    for (std::size_t k = 1; k < cuts.size(); ++k) parts.back().push_back(cuts[k] - cuts[k - 1]);
    if (a != axis) continue;
    index_t& last = parts.back().back();
    last += rows - points.extents()[a];
    if (last > 0) continue;
    refuse("ranks: the last block along axis " + std::to_string(a) +
           " has 1 point, and no midpoint behind it: it needs 2 points");
  }
  return grid::of_parts(parts);
}

void check_operator(op_state& s, const scheme& what, const closure& c) {
  tridia::grid& g = s.lines;
  check_size(s.ranks, *s.by);
  const std::vector<index_t> own = s.ranks.block(s.by->rank()).extents;
  if (g.extents.empty()) g.extents = own;
  if (g.extents != own) {
    refuse("extents: are " + layout::shape_text(g.extents) + ", but the block of rank " +
           std::to_string(s.by->rank()) + " has " + layout::shape_text(own));
  }
  if (!(s.options.tolerance >= 0)) {
    refuse("tolerance: " + std::to_string(s.options.tolerance) + " is not 0 or more");
  }
  compact::check_grid(g, s.where->options(s.options.threads));
  s.axis = static_cast<int>(compact::checked_axis(g));
  s.whole_line = compact::assemble(what, c, g, s.ranks.extents()[s.axis]);
  s.out_ranks = grid_of_rows(s.ranks, s.axis, s.whole_line.rows);
  s.arrays = compact::arrays_of(g, static_cast<std::size_t>(s.axis),
                                s.out_ranks.block(s.by->rank()).extents[s.axis]);
  if (compact::needs_closure(g)) s.warning = closure_warning(what, c);
}

/// All lines, numbered alike on all ranks; neighbouring axes that one stride can step through are
/// one.
layout::axes lines_of(const layout::geometry& numbered) {
  layout::axes lines{0, numbered.matrices.size, {}};
  for (int k = 0; k < numbered.matrices.count; ++k) {
    const layout::axis& next = numbered.matrices.at[k];
    layout::axis* const last = lines.count > 0 ? &lines.at[lines.count - 1] : nullptr;
    const auto follows = [&](layout::array a) {
      return last->stride[a] == next.stride[a] * next.extent;
    };
    const bool joins = last != nullptr && follows(layout::rhs) && follows(layout::x);
    if (!joins) lines.at[lines.count++].extent = 1;
    layout::axis& to = lines.at[lines.count - 1];
    to.extent *= next.extent;
    for (const layout::array a : {layout::rhs, layout::x}) to.stride[a] = next.stride[a];
  }
  return lines;
}

void make_split(op_state& s, index_t order) {
  const int here = s.ranks.coordinates(s.by->rank())[s.axis];
  const line_of_ranks line{s.ranks.line(s.by->rank(), s.axis), here};
  const line_cuts cuts{s.ranks.cuts(s.axis), s.out_ranks.cuts(s.axis)};
  (void)compact::factor(s.whole_line.matrix, s.whole_line.rows, s.whole_line.boundary);
  line_operator own = part_of(s.whole_line, cuts, here);
  (void)end_columns(own, sides_of(s.whole_line, cuts, here));  // refuses a singular part

  const value_type type = s.arrays.shape.type;
  layout::geometry g = layout::make_geometry(s.arrays.shape, s.arrays.resolved);
  g.right_sides = lines_of(number_lines(g, s.arrays.resolved, order));
  const inverse_rows weights(s.whole_line);
  const auto wanted = [&](int part) {
    auto all = weights.given(cuts, part);
    for (line_weights& w : all) leave_out(w, least_weight(type, s.options.tolerance));
    return all;
  };
  sums_task sums{type,
                 plan_sums(cuts.points, here, wanted),
                 line,
                 g.right_sides,
                 g.lines[layout::rhs],
                 g.lines[layout::x],
                 {},
                 s.options.threads};
  for (const auto& to : sums.plan.to) s.peers.push_back(line.ranks[to.part]);
  for (const auto& from : sums.plan.from) s.peers.push_back(line.ranks[from.part]);
  std::sort(s.peers.begin(), s.peers.end());
  s.peers.erase(std::unique(s.peers.begin(), s.peers.end()), s.peers.end());
  s.sums = s.where->make_sums(sums, *s.by);
  s.rows = compact::make_executor({std::move(own), type, g, s.where->options(s.options.threads)});
}

void make_parts(op_state& s, const scheme& what, const closure& c, index_t order) {
  s.times = s.where->make_laps();
  if (s.ranks.ranks()[s.axis] == 1) {
    s.whole = std::make_unique<const tridia::compact_operator>(what, c, s.lines,
                                                               s.where->options(s.options.threads));
  } else {
    make_split(s, order);
  }
  s.memory = s.where->allocate(s.memory_bytes());
}

void apply_whole(const op_state& s) {
  const compact::call& c = s.call;
  const execution e{
      .workspace = s.memory.get(), .workspace_bytes = s.memory_bytes(), .stream = c.stream};
  c.accumulate ? s.whole->apply_add(c.s, c.in, c.out, e) : s.whole->apply(c.in, c.out, e);
}

void begin(op_state& s, const compact::call& call) {
  if (s.started) refuse("start: the application before has not been finished");
  s.arrays.check(*s.where, call.in, call.out);
  const at_backend scope(*s.where);
  s.call = call;
  s.call.workspace = s.memory.get();
  s.times->begin();
  if (s.sums) {
    s.times->start(call.stream);
    s.sums->sum(call.in, call.stream);
    s.times->lap(&step_seconds::reduce, call.stream);
    s.sums->send(call.stream);
    s.times->lap(&step_seconds::interface, call.stream);
  }
  s.started = true;
}

}  // namespace

compact_operator::compact_operator(const grid& g, const scheme& s, tridia::grid lines,
                                   communicator ranks, const operator_options& o)
    : compact_operator(g, s, compact::usual_closure(s, lines), lines, std::move(ranks), o) {}

compact_operator::compact_operator(const grid& g, const scheme& s, const closure& c,
                                   tridia::grid lines, communicator ranks,
                                   const operator_options& o) {
  try {
    auto made = std::unique_ptr<state>(new state{g, g, std::move(lines), o, ranks.by()});
    agreement_of(*made, s, c).reach([&] {
      made->where = make_backend(*made->by);
      check_operator(*made, s, c);
    });
    const at_backend scope(*made->where);
    index_t order[] = {wished_order(made->arrays.resolved)};
    made->by->maxima(order);
    // Memory may run out on one rank alone.
    agreement(*made->by).reach([&] { make_parts(*made, s, c, order[0]); });
    state_ = std::move(made);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory, "an operator: host memory ran out");
  }
}

compact_operator::~compact_operator() {
  if (!state_) return;
  const std::shared_ptr<transport> by = state_->by;
  const bool travelling = state_->started;
  by->dispose(std::move(state_), travelling);
}
compact_operator::compact_operator(compact_operator&&) noexcept = default;
compact_operator& compact_operator::operator=(compact_operator&& other) noexcept {
  compact_operator moved(std::move(other));
  std::swap(state_, moved.state_);
  return *this;
}

const grid& compact_operator::out_grid() const noexcept { return state_->out_ranks; }
const std::string& compact_operator::warning() const noexcept { return state_->warning; }
const std::vector<int>& compact_operator::peers() const noexcept { return state_->peers; }
step_seconds compact_operator::steps() const { return state_->times->read(); }
std::size_t compact_operator::workspace_bytes() const noexcept {
  return state_->memory_bytes() + (state_->sums ? state_->sums->bytes() : 0);
}

void compact_operator::apply(const void* in, void* out, void* stream) {
  start(in, out, stream);
  finish();
}
void compact_operator::apply_add(double s, const void* in, void* out, void* stream) {
  start_add(s, in, out, stream);
  finish();
}

void compact_operator::start(const void* in, void* out, void* stream) {
  begin(*state_, {in, out, 1, false, nullptr, nullptr, stream});
}
void compact_operator::start_add(double s, const void* in, void* out, void* stream) {
  begin(*state_, {in, out, s, true, nullptr, nullptr, stream});
}

void compact_operator::finish() {
  state& s = *state_;
  if (!s.started) refuse("finish: no application has been started");
  s.started = false;
  const at_backend scope(*s.where);
  void* const stream = s.call.stream;
  s.times->start(stream);
  if (s.whole) {
    apply_whole(s);
  } else {
    s.sums->add(stream);
    s.times->lap(&step_seconds::interface, stream);
    s.call.given = s.sums->values();
    if (!s.arrays.empty()) s.rows->apply(s.call);
  }
  s.times->lap(&step_seconds::expand, stream);
}

}  // namespace tridia::distributed
