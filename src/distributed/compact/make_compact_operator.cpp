// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/adjoint.hpp"
#include "compact/assemble.hpp"
#include "compact/factors.hpp"
#include "core/refuse.hpp"
#include "distributed/agreement.hpp"
#include "distributed/bits.hpp"
#include "distributed/compact/compact_operator_state.hpp"
#include "distributed/lines.hpp"
#include "distributed/model.hpp"

#include <algorithm>
#include <new>
#include <utility>

// This file makes operators. Everything that may be refused is refused here, on all ranks.
namespace tridia::distributed {
namespace {

using op_state = compact_operator::state;

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
  agreement a(*s.transport);
  a.on("operator", std::string_view("operator"))
      .on(s.ranks)
      .on("scheme", bits_of({what.interior()}))
      .on("quantity", one(what.quantity()))
      .on("staggering", one(what.staggering()))
      .on("closure", bits_of(closure_rows))
      .on("type", one(g.type))
      .on("axis", one(g.axis < 0 ? g.axis + rank : g.axis))
      .on("spacing", one(bits(g.spacing)))
      .on("boundary", one(g.boundary))
      .on("ends", std::vector<index_t>{static_cast<index_t>(g.head), static_cast<index_t>(g.tail)})
      .on("metric", bits_of(g.metric))
      .on("operation", one(g.operation))
      .on("fields", one(g.fields))
      .on("tolerance", one(bits(s.options.tolerance)))
      .on("slabs", one(s.options.slabs))
      .on("strategy", one(s.options.strategy));
  return a;
}

/// Returns the decomposition with rows in place of points along the axis.
decomposition decomposition_of_rows(const decomposition& points, int axis, index_t rows) {
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
           " has 1 point, and no midpoint after it: it needs 2 points");
  }
  return decomposition::of_parts(parts);
}

/// Returns the line operators of lines that are cut, one after another. `cuts` are those of the
/// operator.
std::vector<step> steps_of(line_operator::specification whole, const line_cuts& cuts,
                           operation how) {
  std::vector<step> steps(how == operation::none ? 1 : 2);
  if (how == operation::none) {
    steps[0].whole = std::move(whole), steps[0].cuts = cuts;
    return steps;
  }
  compact::adjoint_steps adjoint = compact::adjoint_of(whole);
  step &solve = steps[0], &gather = steps[1];
  solve.whole = std::move(adjoint.solve), solve.cuts = {cuts.rows, cuts.rows};
  solve.scaling = std::move(adjoint.scaling);
  solve.to_field = gather.from_field = true;
  gather.whole = std::move(adjoint.gather), gather.cuts = {cuts.rows, cuts.points};
  return steps;
}

/// Divides an operator of lines that are cut into its right-hand sides, and scale A^-1.
void divide(op_state& s, line_operator::specification whole, const line_cuts& cuts) {
  line_operator::specification solving;
  solving.points = solving.rows = whole.rows;
  solving.boundary = whole.boundary;
  solving.matrix = std::exchange(whole.matrix, {{0, 1, 0}, {}, {}});
  solving.interior = {0, {1}};
  solving.scale = std::exchange(whole.scale, {});
  s.gathered = gathered_solve{std::move(solving), cuts.rows};
  s.steps.resize(1);
  s.steps[0].whole = std::move(whole), s.steps[0].cuts = cuts;
  s.steps[0].to_field = true;
}

void check_strategy(const op_state& s) {
  check_known_matrix(s.options.strategy);
  if (s.options.strategy == strategy::gather && s.lines.operation != operation::none) {
    throw error(errc::unsupported, "strategy: gather is not for adjoints, but operation is " +
                                       std::string(name(s.lines.operation)) +
                                       ": leave it automatic");
  }
}

void check_operator(op_state& s, const scheme& what, const closure& c) {
  tridia::grid& g = s.lines;
  check_size(s.ranks, *s.transport);
  const std::vector<index_t> own = s.ranks.block(s.transport->rank()).extents;
  if (g.extents.empty()) g.extents = own;
  if (g.extents != own) {
    refuse("extents: are " + layout::shape_text(g.extents) + ", but the block of rank " +
           std::to_string(s.transport->rank()) + " has " + layout::shape_text(own));
  }
  if (!(s.options.tolerance >= 0)) {
    refuse("tolerance: " + std::to_string(s.options.tolerance) + " is not 0 or more");
  }
  check_strategy(s);
  if (s.options.slabs < 1) refuse("slabs: " + std::to_string(s.options.slabs) + " is below 1");
  compact::check_grid(g, s.where->options(s.options.threads));
  s.axis = static_cast<int>(compact::checked_axis(g));
  line_operator::specification line = compact::assemble(what, c, g, s.ranks.extents()[s.axis]);
  s.out_ranks = decomposition_of_rows(s.ranks, s.axis, line.rows);
  s.arrays = compact::arrays_of(
      g, static_cast<std::size_t>(s.axis),
      compact::line_extents_of(g.operation, own[s.axis],
                               s.out_ranks.block(s.transport->rank()).extents[s.axis]));
  const line_cuts cuts{s.ranks.cuts(s.axis), s.out_ranks.cuts(s.axis)};
  if (g.operation != operation::none) s.out_ranks = s.ranks;
  if (compact::needs_closure(g)) s.warning = closure_warning(what, c);
  if (s.ranks.ranks()[s.axis] == 1) return;
  (void)compact::factor(line.matrix, line.rows, line.boundary);
  const int here = s.ranks.coordinates(s.transport->rank())[s.axis];
  if (s.options.strategy == strategy::gather) {
    divide(s, std::move(line), cuts);
    (void)secondary_solutions(s.gathered->whole, {cuts.rows, cuts.rows}, here);
  } else {
    s.steps = steps_of(std::move(line), cuts, g.operation);
  }
  for (step& t : s.steps) {
    t.own = part_of(t.whole, t.cuts, here);
    (void)end_columns(t.own, sides_of(t.whole, t.cuts, here));
  }
}

/// Merges neighbouring axes that one stride can step through.
layout::axes merged(const layout::axes& list) {
  layout::axes lines{0, list.size, {}};
  for (int k = 0; k < list.count; ++k) {
    const layout::axis& next = list.at[k];
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

/// Returns slab k of lines that are numbered alike on all ranks: a part of the slowest axis, on
/// which all ranks agree.
layout::geometry slab_lines(layout::geometry g, int k, int slabs, slab& s) {
  layout::axes& lines = g.right_sides;
  if (lines.count == 0 || lines.size == 0) {
    lines.size = k == 0 ? lines.size : 0;
    return g;
  }
  layout::axis& slowest = lines.at[0];
  const index_t begin = slowest.extent * k / slabs, end = slowest.extent * (k + 1) / slabs;
  s.in = begin * slowest.stride[layout::rhs], s.out = begin * slowest.stride[layout::x];
  lines.size = lines.size / slowest.extent * (end - begin);
  slowest.extent = end - begin;
  lines = merged(lines);
  return g;
}

void sort_unique(std::vector<int>& peers) {
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
}

void add_peers(std::vector<int>& peers, const sum_plan& p, const line_of_ranks& line) {
  for (const auto& to : p.to) peers.push_back(line.ranks[to.part]);
  for (const auto& from : p.from) peers.push_back(line.ranks[from.part]);
  sort_unique(peers);
}

/// Adds those that faces go to and come from: all others at the first rank, and elsewhere that one.
void add_peers_of_faces(std::vector<int>& peers, const line_of_ranks& line) {
  const auto end = line.here == 0 ? line.ranks.end() : line.ranks.begin() + 1;
  peers.insert(peers.end(), line.ranks.begin() + (line.here == 0 ? 1 : 0), end);
  sort_unique(peers);
}

/// Returns the sums that a part wants in a step, with weights of what is read before it is scaled.
std::vector<line_weights> wanted_sums(const step& t, const inverse_rows& weights, int part,
                                      double least) {
  std::vector<line_weights> all = weights.prescribed(t.cuts, part);
  for (line_weights& w : all) {
    for (std::size_t k = 0; t.scaling && k < w.size(); ++k)
      w[k] = w[k] * wide{core::extended(t.scaling->scale[k]), core::extended(0)};
    leave_out(w, least);
  }
  return all;
}

/// Returns the scaling of this rank's rows.
line_operator::specification own_scaling(const step& t, int here) {
  line_operator::specification own = *t.scaling;
  const index_t begin = t.cuts.points[here], end = t.cuts.points[here + 1];
  own.points = own.rows = end - begin;
  own.scale.assign(t.scaling->scale.begin() + begin, t.scaling->scale.begin() + end);
  return own;
}

/// Makes the slabs of one step. `arrays` are the lines of the arrays, numbered alike on all ranks.
void make_slabs(op_state& s, const step& t, const layout::geometry& arrays) {
  const int here = s.ranks.coordinates(s.transport->rank())[s.axis];
  const line_of_ranks line{s.ranks.line(s.transport->rank(), s.axis), here};
  const value_type type = s.arrays.shape.type;
  const tridia::options where = s.where->options(s.options.threads);
  const inverse_rows weights(t.whole);
  const sum_plan sums = plan_sums(t.cuts.points, here, [&](int part) {
    return wanted_sums(t, weights, part, least_weight(type, s.options.tolerance));
  });
  add_peers(s.peers, sums, line);
  const compact::field_strides field = compact::strides_of(arrays, s.steps.front().own.rows);
  layout::geometry lines = arrays;
  if (t.from_field) lines = compact::with_field(lines, t.own.rows, layout::rhs, field);
  if (t.to_field) lines = compact::with_field(lines, t.own.rows, layout::x, field);
  const layout::geometry in_field = compact::with_field(lines, t.own.rows, layout::rhs, field);
  for (int k = 0; k < s.options.slabs; ++k) {
    slab& part = s.slabs.emplace_back(slab{t.from_field, t.to_field});
    const layout::geometry own = slab_lines(lines, k, s.options.slabs, part);
    part.sums = s.where->make_sums({type,
                                    sums,
                                    line,
                                    own.right_sides,
                                    own.lines[layout::rhs],
                                    own.lines[layout::x],
                                    {},
                                    s.options.threads},
                                   *s.transport);
    if (own.right_sides.size == 0) continue;
    const auto make = [&](const line_operator::specification& o, const layout::geometry& g) {
      auto made = compact::make_operator_executor({o, type, g, where});
      s.memory_bytes = std::max(s.memory_bytes, made->workspace_bytes());
      return made;
    };
    if (t.scaling) {
      slab scaled{};  // begins where `part` does in the field
      part.scaling = make(own_scaling(t, here), own);
      part.rows = make(t.own, slab_lines(in_field, k, s.options.slabs, scaled));
    } else {
      line_operator::specification rows = t.own;
      rows.exchanges = part.sums->in_kernel(false) != nullptr;
      part.rows = make(rows, own);
      part.may_exchange = rows.exchanges && part.rows->prepare_exchange();
    }
  }
}

/// Makes the plan of the primary systems, which are lines of the field.
std::unique_ptr<const tridia::plan> make_primary(const op_state& s, const near_toeplitz& matrix,
                                                 const layout::axes& lines,
                                                 const compact::field_strides& field,
                                                 index_t rows) {
  problem p{.type = s.arrays.shape.type, .coefficients = coefficients::constant};
  p.matrix = matrix;
  for (int k = 0; k < lines.count; ++k) {
    p.extents.push_back(lines.at[k].extent), p.x_strides.push_back(field.of[k]);
  }
  p.extents.push_back(rows), p.x_strides.push_back(field.step);
  p.rhs_strides = p.x_strides;
  return std::make_unique<const tridia::plan>(std::move(p), s.where->options(s.options.threads));
}

/// Makes what follows the right-hand sides. `arrays` are the lines of the arrays, numbered alike on
/// all ranks.
void make_gathered(op_state& s, const layout::geometry& arrays) {
  gathered_solve& g = *s.gathered;
  const line_of_ranks line{s.ranks.line(s.transport->rank(), s.axis),
                           s.ranks.coordinates(s.transport->rank())[s.axis]};
  const line_cuts cuts{g.cuts, g.cuts};
  faces_task t = faces_of(s.arrays.shape.type, line, g.whole, cuts, s.options.tolerance);
  const compact::field_strides field = compact::strides_of(arrays, t.rows);
  const layout::geometry lines = compact::with_field(arrays, t.rows, layout::rhs, field);
  t.lines = merged(lines.right_sides);
  t.from = lines.lines[layout::rhs], t.to = lines.lines[layout::x];
  const line_operator::specification own = part_of(g.whole, cuts, line.here);
  t.scale = own.scale;
  t.where = s.where->options(s.options.threads);
  g.faces = s.where->make_faces(t, *s.transport);
  g.primary = make_primary(s, own.matrix, arrays.right_sides, field, t.rows);
  s.memory_bytes = std::max(s.memory_bytes, g.primary->workspace_bytes());
  add_peers_of_faces(s.peers, line);
}

void make_split(op_state& s, index_t order) {
  layout::geometry g = layout::make_geometry(s.arrays.shape, s.arrays.resolved);
  g.right_sides = number_lines(g, s.arrays.resolved, operation::none, order).matrices;
  for (const step& t : s.steps) make_slabs(s, t, g);
  if (s.gathered) make_gathered(s, g);
  if (s.steps.size() == 1 && !s.gathered) return;
  s.field_bytes = static_cast<std::size_t>(g.right_sides.size * s.steps.front().own.rows) *
                  size_of(s.arrays.shape.type);
  s.field = s.where->allocate(s.field_bytes);
}

void make_parts(op_state& s, const scheme& what, const closure& c, index_t order) {
  s.times = s.where->phase_timer_if(s.options.timings);
  if (s.ranks.ranks()[s.axis] == 1) {
    s.whole = std::make_unique<const tridia::compact_operator>(what, c, s.lines,
                                                               s.where->options(s.options.threads));
    s.memory_bytes = s.whole->workspace_bytes();
  } else {
    make_split(s, order);
  }
  s.memory = s.where->allocate(s.memory_bytes);
}

}  // namespace

compact_operator::compact_operator(const decomposition& g, const scheme& s, tridia::grid lines,
                                   communicator ranks, const operator_options& o)
    : compact_operator(g, s, compact::usual_closure(s, lines), lines, std::move(ranks), o) {}

compact_operator::compact_operator(const decomposition& g, const scheme& s, const closure& c,
                                   tridia::grid lines, communicator ranks,
                                   const operator_options& o) {
  try {
    auto made = std::unique_ptr<state>(new state{g, g, std::move(lines), o, ranks.transport()});
    agreement_of(*made, s, c).reach([&] {
      made->where = make_backend(*made->transport);
      check_operator(*made, s, c);
    });
    const at_backend scope(*made->where);
    index_t order[] = {wished_order(made->arrays.resolved)};
    made->transport->maxima(order);
    // Memory may run out on one rank alone.
    agreement(*made->transport).reach([&] { make_parts(*made, s, c, order[0]); });
    state_ = std::move(made);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory, "an operator: host memory ran out");
  }
}

}  // namespace tridia::distributed
