// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests apply compact schemes along lines that cross ranks: every rank has the whole field,
// and the result of one operator for it.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <limits>
#include <optional>

#include "mpi/field.hpp"
#include "mpi/refusal.hpp"
#include "support/lines.hpp"

namespace tridia_test {
namespace {

using namespace tridia;
using tridia::distributed::operator_options;
using tridia::distributed::strategy;

constexpr strategy kStrategies[] = {strategy::automatic, strategy::gather};

/// Returns blocks of very different sizes, every other one of a single point.
distributed::decomposition uneven(const std::vector<index_t>& extents,
                                  const std::vector<int>& ranks) {
  std::vector<std::vector<index_t>> parts;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    parts.emplace_back();
    index_t left = extents[a];
    for (int k = ranks[a]; k > 1; --k) {
      const index_t some = k % 2 == 0 ? 1 : std::min<index_t>(left / k + 3, left - 2 * (k - 1));
      parts.back().push_back(some);
      left -= some;
    }
    parts.back().push_back(left);
  }
  return distributed::decomposition::of_parts(parts);
}

/// Describes an operator, and what is asked of it.
struct operator_case {
  scheme what;
  tridia::grid lines;  // extents of the whole
  std::optional<double> add{};
  bool in_place = false;
  operator_options options{};
};

std::string label_of(const operator_case& c, const distributed::decomposition& g) {
  std::string text = c.what.name() + " " + std::string(name(c.what.quantity())) + " " +
                     std::string(name(c.what.staggering())) + " " +
                     std::string(name(c.lines.type)) + " axis " + std::to_string(c.lines.axis) +
                     " " + std::string(name(c.lines.operation)) + " " +
                     std::string(name(c.lines.boundary)) + " " + std::string(name(c.lines.head)) +
                     " " + std::string(name(c.lines.tail)) + " ranks";
  for (const int r : g.ranks()) text.append(" ").append(std::to_string(r));
  return text + " " + std::string(name(c.options.strategy));
}

double noise(index_t k) {
  return std::sin(0.37 * static_cast<double>(k)) + 0.2 * std::cos(2.3 * static_cast<double>(k));
}

index_t points(const distributed::decomposition& g) {
  index_t all = 1;
  for (const index_t e : g.extents()) all *= e;
  return all;
}

void fill(field& f, const distributed::decomposition& g, long double phase) {
  for (index_t k = 0; k < points(g); ++k) {
    const long double x = static_cast<long double>(k) + phase;
    f.set(k, {std::sin(0.37L * x) + 0.2L * std::cos(2.3L * x), std::cos(0.11L * x)});
  }
}

/// Returns the decomposition of an operator's results, whose `lines` may ask for its adjoint.
distributed::decomposition rows_of(const distributed::decomposition& g, const scheme& s,
                                   tridia::grid lines, const distributed::communicator& by) {
  if (s.staggering() == staggering::none) return g;
  lines.operation = operation::none, lines.in_strides = lines.out_strides = {};
  return distributed::compact_operator(g, s, lines, by).out_decomposition();
}

/// Returns the result of one operator for the whole; `out` holds the values that are added to.
std::vector<std::byte> expected_of(const operator_case& c, const distributed::decomposition& g,
                                   const field& in, const field& out, index_t results) {
  tridia::grid whole = c.lines;
  whole.extents = g.extents();
  const tridia::compact_operator one(c.what, whole);
  const auto* const before = static_cast<const std::byte*>(out.whole());
  std::vector<std::byte> to(before, before + size_of(c.lines.type) * results);
  std::vector<std::byte> workspace(one.workspace_bytes());
  const execution e{.workspace = workspace.data(), .workspace_bytes = workspace.size()};
  void* const written = to.data();
  c.add ? one.apply_add(*c.add, in.whole(), written, e) : one.apply(in.whole(), written, e);
  return to;
}

/// Returns the largest error of a split operator, relative to the largest result, in epsilons.
long double error_of(const operator_case& c, const distributed::decomposition& g,
                     const distributed::communicator& by) {
  // Each rank has its own layouts; in place, there is one layout.
  const bool reversed = !c.in_place && world_rank() % 2 == 0;
  const bool is_adjoint = c.lines.operation != operation::none;
  const distributed::decomposition results = rows_of(g, c.what, c.lines, by);
  const distributed::decomposition& from = is_adjoint ? results : g;
  const distributed::decomposition& rows = is_adjoint ? g : results;
  field in(c.lines.type, from, reversed);
  tridia::grid lines = c.lines;
  lines.in_strides = in.strides();
  field apart(c.lines.type, rows, false);
  field& out = c.in_place ? in : apart;
  lines.out_strides = out.strides();
  distributed::compact_operator op(g, c.what, lines, by, c.options);

  EXPECT_EQ(op.out_decomposition().cuts(c.lines.axis), rows.cuts(c.lines.axis));
  fill(in, from, 0), fill(apart, rows, 0.7L);
  const auto expected = expected_of(c, g, in, out, points(rows));
  in.scatter(), apart.scatter();
  c.add ? op.apply_add(*c.add, in.block(), out.block()) : op.apply(in.block(), out.block());
  out.collect();
  long double largest = 0, error = 0;
  for (index_t k = 0; k < points(rows); ++k) {
    const wide v = load(c.lines.type, expected.data(), k);
    largest = std::max(largest, std::abs(v));
    const long double distance = std::abs(v - out.get(k));
    if (!(distance <= error)) error = distance;
  }
  return error / largest / epsilon(c.lines.type);
}

/// The bound allows for coefficients of up to 27, a pivot of 1/10, and eliminations in another
/// order.
constexpr long double kRounding = 100;

void expect_equal(const operator_case& c, const distributed::decomposition& g,
                  const distributed::communicator& by) {
  EXPECT_LE(error_of(c, g, by), kRounding) << label_of(c, g);
}

std::vector<scheme> some_schemes() {
  std::vector<scheme> some;
  for (const scheme& s : all_schemes()) {
    if (s.quantity() != quantity::filter || s.name() == "F2" || s.name() == "F10")
      some.push_back(s);
  }
  return some;
}

/// Sets closures, joined ends, or mirrors.
tridia::grid with_ends(tridia::grid g, int kind) {
  g.boundary = kind == 1 ? boundary::periodic : boundary::regular;
  if (kind == 2) g.head = end_condition::symmetric;
  if (kind == 3) g.head = end_condition::antisymmetric, g.tail = end_condition::symmetric;
  return g;
}

/// Every scheme runs along every axis with every kind of end on ranks in one direction, and on
/// ranks in several; types, additions, splits and slabs alternate, and so do ends in the latter.
void expect_every_scheme_axis_and_end(operation how, strategy by_strategy = strategy::automatic) {
  const auto by = ranks();
  constexpr value_type types[] = {value_type::f64, value_type::f32, value_type::c128,
                                  value_type::c64};
  int turn = 0;
  for (const auto& process_grid : process_grids()) {
    for (const scheme& s : some_schemes()) {
      for (int axis = 0; axis < 3; ++axis) {
        const int along = process_grid[axis];
        for (int kind = 0; kind < 4; ++kind, ++turn) {
          if (along == 1 ? turn % 31 != 0 : along < world_size() && turn % 5 != 0) continue;
          if (by_strategy == strategy::gather && turn % 11 > 3) continue;  // enough of them
          std::vector<index_t> extents{9, 10, 8};
          extents[axis] = turn % 3 == 0 ? 24 : 61;
          tridia::grid g = with_ends({.type = types[turn % 4], .axis = axis}, kind);
          g.spacing = 0.5;
          g.operation = how;
          const bool even = turn % 2 == 0 || along == 1;
          operator_case c{s, g};
          if (turn % 7 < 2) c.add = -0.5;
          c.options.slabs = 1 + turn % 3;
          c.options.strategy = by_strategy;
          expect_equal(c,
                       even ? distributed::decomposition(extents, process_grid)
                            : uneven(extents, process_grid),
                       by);
        }
      }
    }
  }
}

TEST(RankOperator, EverySchemeAxisAndEnd) { expect_every_scheme_axis_and_end(operation::none); }
TEST(RankOperator, GathersForEverySchemeAxisAndEnd) {
  expect_every_scheme_axis_and_end(operation::none, strategy::gather);
}
TEST(RankOperator, AdjointsOfEverySchemeAxisAndEnd) {
  expect_every_scheme_axis_and_end(operation::transpose);
}

TEST(RankOperator, BlocksOfOnePoint) {
  const auto by = ranks();
  const int n = world_size();
  for (const scheme& s : some_schemes()) {
    for (int kind = 0; kind < 2; ++kind) {
      std::vector<index_t> parts(static_cast<std::size_t>(n), 1);
      parts[parts.size() / 2] = 15;
      parts.back() += 1;
      const auto g = distributed::decomposition::of_parts({parts, {5}});
      for (const operation how : {operation::none, operation::transpose})
        expect_equal({s, with_ends({.axis = 0, .operation = how}, kind)}, g, by);
      operator_case gathers{s, with_ends({.axis = 0}, kind)};
      gathers.options.strategy = strategy::gather;
      expect_equal(gathers, g, by);
    }
  }
}

TEST(RankOperator, InPlaceAndManyLines) {
  const auto by = ranks();
  const scheme s = find_scheme(quantity::first_derivative, "C6");
  for (const int axis : {0, 1}) {
    std::vector<index_t> extents{70, 70};
    extents[axis] = 64 * world_size();
    std::vector<int> process_grid{1, 1};
    process_grid[axis] = world_size();
    const distributed::decomposition g(extents, process_grid);
    for (const std::optional<double> add : {std::optional<double>{}, std::optional(0.5)}) {
      for (const int slabs : {1, 4, 99}) {
        for (const bool in_place : {true, false}) {
          for (const operation how : {operation::none, operation::transpose}) {
            expect_equal({s, {.axis = axis, .operation = how}, add, in_place, {.slabs = slabs}}, g,
                         by);
          }
          if (slabs != 4) continue;
          operator_case gathers{s, {.axis = axis}, add, in_place, {.slabs = slabs}};
          gathers.options.strategy = strategy::gather;
          expect_equal(gathers, g, by);
        }
      }
    }
  }
}

/// There is a metric of the whole line, and several fields, each with the next one's blocks after
/// it.
TEST(RankOperator, MetricAndFields) {
  const auto by = ranks();
  const scheme s = find_scheme(quantity::first_derivative, "C8");
  const index_t n = 12 * world_size(), fields = 3;
  const distributed::decomposition g = uneven({5, n}, {1, world_size()});
  tridia::grid lines{.axis = 1, .fields = fields};
  for (index_t k = 0; k < n; ++k) lines.metric.push_back(-1 - 0.01 * static_cast<double>(k));
  tridia::grid whole = lines;
  whole.extents = {5, n};
  std::vector<double> in(static_cast<std::size_t>(fields * 5 * n)), expected(in.size());
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = noise(static_cast<index_t>(k));
  tridia::compact_operator(s, whole).apply(in.data(), expected.data());

  const auto own = g.block(world_rank());
  const index_t count = own.extents[1];
  std::vector<double> block;
  for (index_t row = 0; row < fields * 5; ++row)
    for (index_t k = 0; k < count; ++k)
      block.push_back(in[static_cast<std::size_t>(row * n + own.begin[1] + k)]);
  for (const strategy how : kStrategies) {
    ranks_array<double> from(block), to(std::vector<double>(block.size(), std::nan("")));
    distributed::compact_operator op(g, s, lines, by, {.strategy = how});
    op.apply(from.there(), to.there());
    const std::vector<double> out = to.get();
    for (index_t row = 0; row < fields * 5; ++row)
      for (index_t k = 0; k < count; ++k)
        EXPECT_NEAR(out[static_cast<std::size_t>(row * count + k)],
                    expected[static_cast<std::size_t>(row * n + own.begin[1] + k)], 1e-13);
  }
}

/// Every step of the thesis takes some time, and together they are the phases. By one call, a GPU
/// may take all of them in one kernel.
TEST(RankOperator, StepsAreTimed) {
  const auto by = ranks();
  if (world_size() == 1) GTEST_SKIP() << "one rank has no step but its own systems";
  const distributed::decomposition g({40 * world_size(), 500}, {world_size(), 1});
  ranks_array<double> in(std::vector<double>(40 * 500, 1)), out(in);
  for (const strategy how : kStrategies) {
    distributed::compact_operator op(g, find_scheme(quantity::first_derivative, "C4"), {.axis = 0},
                                     by, {.strategy = how, .timings = true});
    op.start(in.there(), out.there());
    op.finish();
    by.synchronize(nullptr);
    const auto steps = op.step_timings();
    const auto phases = op.timings();
    const bool gathers = how == strategy::gather;
    EXPECT_GT(steps.halo, 0);
    EXPECT_GT(steps.primary, 0);
    for (const double only : {steps.right_hand_sides, steps.faces, steps.reduced, steps.sum})
      EXPECT_EQ(only > 0, gathers);
    EXPECT_NEAR(phases.reduce + phases.interface + phases.expand,
                steps.halo + steps.right_hand_sides + steps.primary + steps.faces + steps.reduced +
                    steps.sum,
                1e-9);
  }
}

TEST(RankOperator, EmptyArraysAreFine) {
  const auto by = ranks();
  const distributed::decomposition g({4, 12 * world_size()}, {1, world_size()});
  const scheme s = find_scheme(quantity::first_derivative, "C6");
  for (const int slabs : {1, 3}) {
    for (const strategy how : kStrategies) {
      distributed::compact_operator op(g, s, {.fields = 0}, by, {.slabs = slabs, .strategy = how});
      op.apply(nullptr, nullptr);
    }
  }
}

/// The sums are the same, in the same order.
TEST(RankOperator, IsReproducible) {
  const auto by = ranks();
  const distributed::decomposition g({40 * world_size(), 6}, {world_size(), 1});
  const scheme s = find_scheme(quantity::filter, "F8");
  field in(value_type::f32, g, false), out(value_type::f32, g, true);
  fill(in, g, 0);
  in.scatter();
  distributed::compact_operator op(g, s,
                                   {.type = value_type::f32,
                                    .axis = 0,
                                    .in_strides = in.strides(),
                                    .out_strides = out.strides()},
                                   by);
  std::vector<wide> first;
  for (int run = 0; run < 3; ++run) {
    op.start(in.block(), out.block());
    op.finish();
    out.collect();
    for (index_t k = 0; k < 240 * world_size(); ++k) {
      if (run == 0) first.push_back(out.get(k));
      EXPECT_EQ(first[static_cast<std::size_t>(k)], out.get(k));
    }
  }
}

/// If the influence decays within the blocks, messages go only to neighbours, and come only from
/// them.
TEST(RankOperator, NeighboursAloneAreSentTo) {
  const auto by = ranks();
  const int n = world_size(), me = world_rank();
  const scheme s = find_scheme(quantity::first_derivative, "C6");
  const auto peers_with = [&](index_t each, boundary ends, double tolerance) {
    const distributed::decomposition g({each * n, 2}, {n, 1});
    return distributed::compact_operator(g, s, {.axis = 0, .boundary = ends}, by,
                                         {.tolerance = tolerance})
        .peers();
  };
  std::vector<int> beside;
  if (me > 0) beside.push_back(me - 1);
  if (me + 1 < n) beside.push_back(me + 1);
  EXPECT_EQ(peers_with(50, boundary::regular, 0), beside);
  EXPECT_EQ(peers_with(12, boundary::regular, 1e-3), beside);
  if (n >= 4) {
    EXPECT_GT(peers_with(8, boundary::regular, 0).size(), beside.size());
  }
  EXPECT_EQ(peers_with(50, boundary::periodic, 0).size(), std::size_t(std::min(n - 1, 2)));
  // Faces go to the first rank, and halos to those beside.
  const distributed::compact_operator gathers(distributed::decomposition({50 * n, 2}, {n, 1}), s,
                                              {.axis = 0}, by, {.strategy = strategy::gather});
  if (me == 0) EXPECT_EQ(gathers.peers().size(), std::size_t(n - 1));
  if (me == 3) EXPECT_EQ(gathers.peers(), n > 4 ? (std::vector{0, 2, 4}) : (std::vector{0, 2}));
}

TEST(RankOperator, ToleranceBoundsTheError) {
  const auto by = ranks();
  const distributed::decomposition g({32 * world_size(), 4}, {world_size(), 1});
  for (const double tolerance : {1e-4, 1e-8}) {
    for (const operation how : {operation::none, operation::transpose}) {
      operator_case c{find_scheme(quantity::first_derivative, "C6"), {.axis = 0, .operation = how}};
      c.options.tolerance = tolerance;
      EXPECT_LE(error_of(c, g, by), 4 * tolerance / std::numeric_limits<double>::epsilon());
    }
  }
}

TEST(RankOperator, WhereMidpointsAre) {
  const auto by = ranks();
  const int n = world_size();
  const distributed::decomposition g({3 * n}, {n});
  const auto rows = [&](staggering lies, boundary ends) {
    return distributed::compact_operator(g, find_scheme(quantity::first_derivative, "C6", lies),
                                         {.boundary = ends}, by)
        .out_decomposition()
        .cuts(0);
  };
  std::vector<index_t> cuts = g.cuts(0);
  if (3 * n >= 8) {
    --cuts.back();
    EXPECT_EQ(rows(staggering::to_midpoints, boundary::regular), cuts);
    cuts.back() += 2;
    EXPECT_EQ(rows(staggering::to_points, boundary::regular), cuts);
    EXPECT_EQ(rows(staggering::to_points, boundary::periodic), g.cuts(0));
  }
}

TEST(RankOperatorFault, IsRefusedOnAllRanks) {
  const auto by = ranks();
  const int n = world_size();
  const scheme s = find_scheme(quantity::first_derivative, "C6");
  const distributed::decomposition g({10 * n, 6}, {n, 1});
  const auto made = [&](const distributed::decomposition& ranks, const scheme& what,
                        tridia::grid lines, const operator_options& o = {}) {
    return refusal(errc::invalid_argument,
                   [&] { distributed::compact_operator(ranks, what, lines, by, o); });
  };
  EXPECT_NE(made(distributed::decomposition({10 * n + 10, 6}, {n + 1, 1}), s, {.axis = 0}), "");
  EXPECT_NE(made(g, s, {.axis = 2}).find("axis"), std::string::npos);
  EXPECT_NE(made(g, s, {.axis = 0, .spacing = 0}).find("spacing"), std::string::npos);
  EXPECT_NE(made(g, s, {.axis = 0}, {.tolerance = -1}).find("tolerance"), std::string::npos);
  EXPECT_NE(made(g, s, {.axis = 0, .metric = {1, 2}}).find("metric"), std::string::npos);
  EXPECT_NE(made(distributed::decomposition({3, 6}, {1, 1}), s, {.axis = 0}), "");
  EXPECT_NE(made(g, s, {.axis = 0}, {.strategy = static_cast<strategy>(77)}).find("strategy: 77"),
            std::string::npos);
  const auto unsupported = [&](const tridia::grid& lines, strategy how) {
    return refusal(errc::unsupported,
                   [&] { distributed::compact_operator(g, s, lines, by, {.strategy = how}); });
  };
  EXPECT_NE(unsupported({.axis = 0}, strategy::pcr).find("pcr is for coefficients in arrays"),
            std::string::npos);
  EXPECT_NE(unsupported({.axis = 0, .operation = operation::transpose}, strategy::gather)
                .find("gather is not for adjoints"),
            std::string::npos);
  if (n > 1) {
    const std::string what = made(g, s, {.axis = 0, .spacing = world_rank() == 0 ? 1.0 : 2.0});
    EXPECT_NE(what.find("spacing: ranks disagree"), std::string::npos);
    const std::string own = made(g, s, {.extents = {10, world_rank() == 1 ? 7 : 6}, .axis = 0});
    EXPECT_NE(own.find(world_rank() == 1 ? "extents" : "another rank"), std::string::npos);
    const std::string scheme =
        made(g, world_rank() == 0 ? find_scheme(quantity::first_derivative, "C4") : s, {.axis = 0});
    EXPECT_NE(scheme.find("ranks disagree"), std::string::npos);
    const strategy other = world_rank() == 0 ? strategy::gather : strategy::automatic;
    EXPECT_NE(made(g, s, {.axis = 0}, {.strategy = other}).find("strategy: ranks disagree"),
              std::string::npos);
    std::vector<index_t> parts(static_cast<std::size_t>(n), 12);
    parts.back() = 1;
    EXPECT_NE(made(distributed::decomposition::of_parts({parts}),
                   find_scheme(quantity::first_derivative, "C6", staggering::to_midpoints), {})
                  .find("midpoint"),
              std::string::npos);
  }
}

/// An adjoint reads blocks of the operator's results, and writes blocks of its points.
TEST(RankOperator, AdjointsOfLinesThatNoRanksCut) {
  const auto by = ranks();
  const distributed::decomposition g({3 * world_size() + 1, 30}, {world_size(), 1});
  for (const staggering lies :
       {staggering::none, staggering::to_midpoints, staggering::to_points}) {
    const scheme s = find_scheme(quantity::first_derivative, "C6", lies);
    const distributed::decomposition rows =
        distributed::compact_operator(g, s, {}, by).out_decomposition();
    field in(value_type::f64, rows, false), out(value_type::f64, g, false);
    fill(in, rows, 0);
    tridia::grid lines{.operation = operation::transpose};
    tridia::grid whole = lines;
    whole.extents = g.extents();
    std::vector<double> expected(static_cast<std::size_t>(points(g)));
    tridia::compact_operator(s, whole).apply(static_cast<const double*>(in.whole()),
                                             expected.data());
    lines.in_strides = in.strides(), lines.out_strides = out.strides();
    distributed::compact_operator op(g, s, lines, by);
    EXPECT_EQ(op.out_decomposition().extents(), g.extents());
    in.scatter();
    op.apply(in.block(), out.block());
    out.collect();
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(out.get(static_cast<index_t>(k)).real(), expected[k], 1e-12);
  }
}

/// <op(u), v> = <u, adjoint(v)> for one closure or kind of end, relative to the norms.
double dot_product_error(const scheme& s, const closure& ends, tridia::grid lines,
                         const distributed::decomposition& g, const distributed::communicator& by) {
  const distributed::decomposition rows =
      distributed::compact_operator(g, s, ends, lines, by).out_decomposition();
  field u(lines.type, g, false), v(lines.type, rows, false);
  field forward(lines.type, rows, true), back(lines.type, g, true);
  fill(u, g, 0), fill(v, rows, 0.7L);
  u.scatter(), v.scatter();
  lines.in_strides = u.strides(), lines.out_strides = forward.strides();
  distributed::compact_operator(g, s, ends, lines, by).apply(u.block(), forward.block());
  lines.operation = operation::transpose;
  lines.in_strides = v.strides(), lines.out_strides = back.strides();
  distributed::compact_operator(g, s, ends, lines, by).apply(v.block(), back.block());
  forward.collect(), back.collect();
  const auto dot = [](const field& a, const field& b, index_t count) {
    wide sum = 0;
    for (index_t k = 0; k < count; ++k) sum += a.get(k) * std::conj(b.get(k));
    return sum;
  };
  const index_t m = points(rows), n = points(g);
  const long double size = std::sqrt(std::abs(dot(forward, forward, m) * dot(v, v, m))) +
                           std::sqrt(std::abs(dot(u, u, n) * dot(back, back, n)));
  return static_cast<double>(std::abs(dot(forward, v, m) - dot(u, back, n)) / size);
}

/// Every closure and kind of end, with and without a metric.
TEST(RankOperator, AdjointsHaveTheSameDotProducts) {
  const auto by = ranks();
  const int n = world_size();
  for (const scheme& s : all_schemes()) {
    const std::vector<std::string> closures = all_closures(s);
    const int kinds = 3 + static_cast<int>(closures.size());
    for (int kind = 1; kind <= kinds; ++kind) {
      const closure ends = kind < 4 ? default_closure(s) : find_closure(s, closures[kind - 4]);
      for (const bool stretched : {false, true}) {
        if (stretched && s.quantity() != quantity::first_derivative) continue;
        const distributed::decomposition g = uneven({24 + 8 * n, 3}, {n, 1});
        tridia::grid lines = with_ends({.axis = 0}, kind);
        lines.spacing = 0.5;
        const index_t rows = rows_of(g, s, lines, by).extents()[0];
        for (index_t k = 0; stretched && k < rows; ++k)
          lines.metric.push_back(1.5 + std::sin(0.4 * static_cast<double>(k)));
        EXPECT_LE(dot_product_error(s, ends, lines, g, by), 1e-12)
            << label_of({s, lines}, g) << " " << ends.name();
      }
    }
  }
}

TEST(RankOperatorFault, StartAndFinishTakeTurns) {
  const auto by = ranks();
  const distributed::decomposition g({12 * world_size(), 6}, {world_size(), 1});
  field in(value_type::f64, g, false), out(value_type::f64, g, false);
  fill(in, g, 0);
  in.scatter();
  const tridia::grid lines{.axis = 0, .in_strides = in.strides(), .out_strides = out.strides()};
  const scheme s = find_scheme(quantity::first_derivative, "C6");
  {
    distributed::compact_operator ends(g, s, lines, by);
    ends.start(in.block(), out.block());  // and ends before it is finished
  }
  distributed::compact_operator op(g, s, lines, by, {.timings = true});
  EXPECT_NE(refusal(errc::invalid_argument, [&] { op.finish(); }), "");
  EXPECT_NE(refusal(errc::invalid_argument, [&] { op.start(nullptr, out.block()); }), "");
  op.start(in.block(), out.block());
  EXPECT_NE(refusal(errc::invalid_argument, [&] { op.start(in.block(), out.block()); }), "");
  op.finish();
  by.synchronize(nullptr);
  EXPECT_GT(op.timings().expand, 0);
}

/// The last rank leaves out one application: the ranks that it would send to report it within their
/// limit.
TEST(RankOperatorFault, AnAbsentRankIsAnErrorOnItsNeighbours) {
  if (world_size() < 2) GTEST_SKIP() << "one rank waits for nobody";
  const auto by = ranks(2.5);
  const distributed::decomposition g({50 * world_size(), 6}, {world_size(), 1});
  field in(value_type::f64, g, false), out(value_type::f64, g, false);
  fill(in, g, 0);
  in.scatter();
  distributed::compact_operator op(
      g, find_scheme(quantity::first_derivative, "C6"),
      {.axis = 0, .in_strides = in.strides(), .out_strides = out.strides()}, by);
  const auto apply = [&] {
    op.apply(in.block(), out.block());
    by.synchronize(nullptr);
  };
  apply();
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == world_size() - 2) {
    EXPECT_NE(refusal(errc::peer_failure, apply), "");
    EXPECT_NE(refusal(errc::peer_failure, apply).find("has failed before"), std::string::npos);
  } else if (world_rank() < world_size() - 2) {
    apply();  // by neighbours that are all there
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace tridia_test
