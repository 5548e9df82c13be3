// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/chunk_merge.hpp"
#include "core/refuse.hpp"
#include "distributed/agreement.hpp"
#include "distributed/line_operator/constant_lines.hpp"
#include "distributed/lines.hpp"
#include "distributed/plan_state.hpp"

#include <algorithm>
#include <new>
#include <utility>

// This file makes plans. Everything that may be refused is refused here, on all ranks.
namespace tridia::distributed {
namespace {

std::vector<index_t> bits_of(const near_toeplitz& a) {
  std::vector<index_t> all{static_cast<index_t>(a.head.size())};
  const auto add = [&](const near_toeplitz::row& r) {
    for (const std::complex<double>& v : {r.dl, r.d, r.du}) {
      all.push_back(bits(v.real())), all.push_back(bits(v.imag()));
    }
  };
  add(a.interior);
  for (const auto& r : a.head) add(r);
  for (const auto& r : a.tail) add(r);
  return all;
}

agreement agreement_of(const plan::state& s) {
  const tridia::problem& p = s.problem;
  const plan_options& o = s.options;
  const int rank = static_cast<int>(s.ranks.ranks().size());
  const auto one = [](auto v) { return std::vector<index_t>{static_cast<index_t>(v)}; };
  agreement a(*s.transport);
  a.on("plan", std::string_view("plan"))
      .on(s.ranks)
      .on("type", one(p.type))
      .on("axis", one(p.axis < 0 ? p.axis + rank : p.axis))
      .on("right_hand_sides", one(p.right_hand_sides))
      .on("boundary", one(p.boundary))
      .on("pivoting", one(p.pivoting))
      .on("operation", one(p.operation))
      .on("coefficients", one(p.coefficients))
      .on("short_off_diagonals", one(p.short_off_diagonals))
      .on("matrix", bits_of(p.matrix))
      .on("strategy", one(o.strategy))
      .on("tolerance", one(bits(o.tolerance)))
      .on("neglected_coupling", std::vector<index_t>{o.neglected_coupling.has_value(),
                                                     bits(o.neglected_coupling.value_or(0))})
      .on("interface_bytes", one(o.interface_bytes))
      .on("statuses", one(o.statuses));
  return a;
}

line_of_ranks line_here(const plan::state& s) {
  const int me = s.transport->rank();
  return {s.ranks.line(me, s.axis), s.ranks.coordinates(me)[s.axis]};
}

constant_lines constant_lines_of(const plan::state& s) {
  return {s.problem, s.ranks.cuts(s.axis), line_here(s).here};
}

void check_constant(const plan::state& s) {
  check_known_matrix(s.options.strategy);
  (void)line_operator::make_constant_matrix(s.problem, s.ranks.cuts(s.axis).back());
  const constant_lines lines = constant_lines_of(s);
  const inverse_rows regular(lines.whole);
  (void)end_columns(lines.own, lines.sides);
}

/// Finds the shapes and geometry of the block once those of whole lines are known. Off-diagonals
/// of n - 1 entries lack the entry at the end of a line, where the block has that end.
void resolve_block(plan::state& s) {
  const line_of_ranks line = line_here(s);
  const bool first = line.here == 0, last = line.here + 1 == line.size();
  tridia::problem block = s.problem;
  block.short_off_diagonals = false;
  if (s.problem.short_off_diagonals) {
    const layout::resolved full = layout::resolve(block);
    if (!first) s.shapes.in[layout::dl] = full.in[layout::dl];
    if (!last) s.shapes.in[layout::du] = full.in[layout::du];
    block.short_off_diagonals = first;
  }
  block.boundary = boundary::regular;  // what is beyond its ends is not for the geometry to know
  s.geometry = layout::make_geometry(block, s.shapes);
  if (s.problem.short_off_diagonals && last) s.geometry.edges_readable = false;
}

void check_problem(plan::state& s) {
  tridia::problem& p = s.problem;
  check_size(s.ranks, *s.transport);
  const std::vector<index_t> own = s.ranks.block(s.transport->rank()).extents;
  if (p.extents.empty()) p.extents = own;
  if (p.extents != own) {
    refuse("extents: are " + layout::shape_text(p.extents) + ", but the block of rank " +
           std::to_string(s.transport->rank()) + " has " + layout::shape_text(own));
  }
  if (!p.offsets.empty()) {
    throw error(errc::unsupported, "offsets: a ragged batch cannot be spread over ranks");
  }
  if (s.options.threads < 0) {
    refuse("threads: " + std::to_string(s.options.threads) + " is below 0");
  }
  if (!(s.options.tolerance >= 0)) {
    refuse("tolerance: " + std::to_string(s.options.tolerance) + " is not 0 or more");
  }
  s.shapes = layout::resolve(p);
  s.axis = s.shapes.axis - 1;
  if (s.constant() && s.ranks.ranks()[s.axis] > 1) check_constant(s);
  resolve_block(s);
}

/// Returns the largest number of lines of any rank: all ranks must choose alike.
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
interface_size interface_size_of(value_type type) {
  using chunk = core::chunk<double, P>;
  return {core::value_count<typename chunk::equations, double>,
          core::value_count<typename chunk::unknowns, double>, static_cast<double>(size_of(type))};
}
interface_size interface_size_of(const tridia::problem& p) {
  return p.pivoting == pivoting::none ? interface_size_of<pivoting::none>(p.type)
                                      : interface_size_of<pivoting::partial>(p.type);
}

const network& network_of(const plan::state& s) {
  return s.transport->device() < 0 ? cluster_of_cpus : host_of_gpus;
}

/// Returns whether lines are to be solved in one pass, where that can be done.
bool wants_one_pass(const plan::state& s) {
  if (s.options.strategy != strategy::automatic) return false;
  index_t rows = 0;
  const std::vector<index_t>& cuts = s.ranks.cuts(s.axis);
  for (std::size_t k = 1; k < cuts.size(); ++k) rows = std::max(rows, cuts[k] - cuts[k - 1]);
  return one_pass_pays(s.chosen.strategy, s.ranks.ranks()[s.axis], most_lines(s),
                       static_cast<double>(rows), interface_size_of(s.problem), network_of(s));
}

void choose(plan::state& s) {
  if (s.constant() && s.ranks.ranks()[s.axis] > 1) {
    if (s.options.strategy == strategy::gather) {
      s.chosen = {
          strategy::gather,
          "asked for: the first rank of a line solves the reduced systems of all its lines"};
      return;
    }
    s.chosen = {strategy::automatic,
                "coefficients are constant: what other ranks add is known but for sums over their "
                "rows, and there is no interface system to solve"};
    return;
  }
  s.chosen = choose_strategy(s.options, s.problem.pivoting, s.ranks.ranks()[s.axis], most_lines(s),
                             interface_size_of(s.problem), network_of(s));
}

void make_whole(plan::state& s) {
  s.whole = std::make_unique<tridia::plan>(s.problem, s.where->options(s.options.threads));
  s.chosen.reason += "; " + s.whole->reason();
  s.memory = s.where->allocate(s.whole->workspace_bytes());
}

/// Returns a column without the zeros at its ends.
sum_column trimmed(const line_weights& column) {
  const auto matters = [](const wide& v) { return core::magnitude(v).v != 0; };
  const auto first = std::find_if(column.begin(), column.end(), matters);
  const auto last = std::find_if(column.rbegin(), std::make_reverse_iterator(first), matters);
  return {first - column.begin(), {first, last.base()}};
}

/// Makes what adds to x the contributions of other parts: what they add to the first and last
/// right-hand sides, spread over x.
void make_sums(plan::state& s, const line_of_ranks& line, const constant_lines& lines) {
  const inverse_rows weights(lines.whole);
  const double tolerance = least_weight(s.problem.type, s.options.tolerance);
  sums_task sums{s.problem.type,
                 {},
                 line,
                 s.geometry.matrices,
                 s.geometry.lines[layout::rhs],
                 s.geometry.lines[layout::x],
                 {},
                 s.options.threads};
  for (line_weights& column : end_columns(lines.own, lines.sides)) {
    leave_out(column, tolerance);
    sums.columns.push_back(trimmed(column));
  }
  sums.plan = plan_sums(lines.cuts.points, line.here, [&](int part) {
    auto all = weights.couplings(lines.cuts, part);
    for (line_weights& w : all) leave_out(w, tolerance);
    return all;
  });
  s.sums = s.where->make_sums(sums, *s.transport);
}

/// Makes what adds to x the contributions of other parts from the x beside this part's rows.
void make_faces(plan::state& s, const line_of_ranks& line, const constant_lines& lines) {
  faces_task faces = faces_of(s.problem.type, line, lines.whole, lines.cuts, s.options.tolerance);
  faces.lines = s.geometry.matrices;
  for (int k = 0; k < faces.lines.count; ++k) {
    faces.lines.at[k].stride[layout::rhs] = faces.lines.at[k].stride[layout::x];
  }
  faces.from = faces.to = s.geometry.lines[layout::x];
  faces.where = s.where->options(s.options.threads);
  s.faces = s.where->make_faces(faces, *s.transport);
}

/// Makes the solve of lines of constant coefficients. Each part is solved by itself, and what other
/// parts contribute is added to its x afterwards.
void make_constant(plan::state& s, const line_of_ranks& line) {
  const constant_lines lines = constant_lines_of(s);
  s.chosen.strategy == strategy::gather ? make_faces(s, line, lines) : make_sums(s, line, lines);
  tridia::problem rows = s.problem;
  rows.boundary = boundary::regular;
  rows.operation = operation::none;
  rows.matrix = lines.own.matrix;
  s.whole = std::make_unique<tridia::plan>(rows, s.where->options(s.options.threads));
  s.chosen.reason += "; " + s.whole->reason();
  s.memory = s.where->allocate(s.whole->workspace_bytes());
}

void make_arrays(plan::state& s, const line_of_ranks& line) {
  if (s.problem.operation != operation::none) {
    s.neighbours = s.where->make_neighbour_coefficients(s.rows_task(), line, *s.transport);
  }
  if (wants_one_pass(s)) {
    s.fused = s.where->make_fused(s.rows_task(), s.systems_task(), *s.transport);
    if (s.fused) {
      s.chosen = {
          strategy::allgather,
          "allgather, in one pass over memory: rows stay on the chip while the equations of "
          "all ranks travel; " +
              s.transport->reason()};
      return;
    }
  }
  s.rows = s.where->make_local_rows(s.rows_task());
  s.systems = s.where->make_interface(s.chosen.strategy, s.systems_task(), *s.transport);
}

void make_parts(plan::state& s, index_t order) {
  s.chosen.reason += "; " + s.transport->reason();
  s.geometry = number_lines(s.geometry, s.shapes, s.problem.operation, order);
  const line_of_ranks line = line_here(s);
  s.constant() ? make_constant(s, line) : make_arrays(s, line);
  s.statuses = s.where->allocate(static_cast<std::size_t>(s.shapes.systems) * sizeof(index_t));
  const std::vector<index_t>& cuts = s.ranks.cuts(s.axis);
  s.found = s.where->make_status_exchange(line, s.lines(), {cuts[line.here], cuts.back()},
                                          s.options.threads, *s.transport);
}

}  // namespace

local_rows_task plan::state::rows_task() const {
  const int here = ranks.coordinates(transport->rank())[axis], count = ranks.ranks()[axis];
  const bool periodic = problem.boundary == boundary::periodic;
  return {problem.type,
          problem.pivoting,
          geometry,
          periodic || here > 0,
          periodic || here + 1 < count,
          options.threads,
          neighbours ? neighbours->before() : nullptr,
          neighbours ? neighbours->after() : nullptr};
}

interface_task plan::state::systems_task() const {
  return {problem.type, problem.pivoting,        problem.boundary, line_here(*this),
          lines(),      options.interface_bytes, options.threads};
}

plan::plan(const decomposition& g, tridia::problem p, communicator ranks, const plan_options& o) {
  try {
    auto s = std::unique_ptr<state>(new state{g, std::move(p), o, ranks.transport()});
    agreement_of(*s).reach([&] {
      s->where = make_backend(*s->transport);
      check_problem(*s);
    });
    const at_backend scope(*s->where);
    choose(*s);
    index_t order[] = {wished_order(s->shapes)};
    s->transport->maxima(order);
    // Memory may run out on one rank alone.
    agreement(*s->transport).reach([&] {
      s->times = s->where->phase_timer_if(s->options.timings);
      s->ranks.ranks()[s->axis] == 1 ? make_whole(*s) : make_parts(*s, order[0]);
    });
    state_ = std::move(s);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory, "a plan: host memory ran out");
  }
}

}  // namespace tridia::distributed
