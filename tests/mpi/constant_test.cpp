// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests compare solves with constant coefficients along lines that cross ranks with the plan
// of whole lines.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <limits>
#include <memory>

#include "mpi/field.hpp"
#include "mpi/refusal.hpp"
#include "tridia/plan.hpp"

namespace tridia_test {
namespace {

using namespace tridia;
using tridia::distributed::communicator;
using distributed_plan = tridia::distributed::plan;
using tridia::distributed::strategy;

constexpr strategy kStrategies[] = {strategy::automatic, strategy::gather};

/// Returns a matrix with different rows at both ends; it is complex if the type is.
near_toeplitz matrix_of(value_type type, int ends) {
  const double i = type == value_type::c64 || type == value_type::c128 ? 0.5 : 0;
  near_toeplitz a;
  a.interior = {{1, i}, {3, -i}, {-1.3, 0}};
  for (int k = 0; k < ends; ++k) {
    a.head.push_back({0.5 + k, {2.5 - k, i}, {1, -i}});
    a.tail.push_back({{0.75, i}, 4 + k, 0.5});
  }
  return a;
}

struct constant_case {
  problem whole;
  distributed::decomposition blocks;
  bool in_place = false;
  strategy how = strategy::automatic;

  problem dense() const {
    problem p = whole;
    p.extents = blocks.extents();
    return p;
  }
};

field drawn(const constant_case& c, rng& random) {
  field f(c.whole.type, c.blocks, c.whole.axis % 2 == 0);
  index_t count = 1;
  for (const index_t e : c.blocks.extents()) count *= e;
  for (index_t k = 0; k < count; ++k) f.set(k, draw_number(random, c.whole.type));
  return f;
}

problem local_of(const constant_case& c, const field& rhs, const field& x) {
  problem p = c.whole;
  p.rhs_strides = rhs.strides(), p.x_strides = x.strides();
  return p;
}

/// Returns the largest difference from the whole plan's x, over the largest |x|, in epsilons.
long double error_of(const constant_case& c, rng& random, const communicator& by) {
  field rhs = drawn(c, random), own(c.whole.type, c.blocks, false);
  field& x = c.in_place ? rhs : own;
  const problem dense = c.dense();
  index_t count = 1;
  for (const index_t e : dense.extents) count *= e;
  std::vector<std::byte> expected(static_cast<std::size_t>(count) * size_of(dense.type));
  const plan one(dense);
  std::vector<std::byte> workspace(one.workspace_bytes());
  one.execute(static_cast<const void*>(rhs.whole()), static_cast<void*>(expected.data()),
              {.workspace = workspace.data(), .workspace_bytes = workspace.size()});

  distributed_plan lines(c.blocks, local_of(c, rhs, x), by, {.strategy = c.how});
  if (c.blocks.ranks()[c.whole.axis] > 1) EXPECT_EQ(lines.strategy(), c.how);
  rhs.scatter();
  ranks_array<index_t> status(std::vector<index_t>(static_cast<std::size_t>(lines.systems()), 99));
  lines.execute(nullptr, nullptr, nullptr, rhs.block(), x.block(), {.status = status.there()});
  x.collect();
  EXPECT_EQ(status.get(), std::vector<index_t>(static_cast<std::size_t>(lines.systems()), 0));
  long double largest = 0, error = 0;
  for (index_t k = 0; k < count; ++k) {
    const wide v = load(dense.type, expected.data(), k);
    largest = std::max(largest, std::abs(v));
    const long double distance = std::abs(v - x.get(k));
    if (!(distance <= error)) error = distance;
  }
  return error / largest / epsilon(dense.type);
}

/// Returns an uneven decomposition if there is more than one rank, with one row on the first.
distributed::decomposition uneven(const std::vector<int>& process_grid, index_t alone,
                                  index_t most) {
  std::vector<std::vector<index_t>> parts;
  for (const int count : process_grid) {
    parts.emplace_back();
    for (int k = 0; k < count; ++k) parts.back().push_back(count == 1 ? alone : 1 + (7 * k) % most);
  }
  return distributed::decomposition::of_parts(parts);
}

TEST(RankConstant, EveryTypeAxisAndEnd) {
  const communicator by = ranks();
  rng random = random_for("RankConstant");
  int turn = 0;
  for (const auto& process_grid : process_grids())
    for (const value_type type :
         {value_type::f32, value_type::f64, value_type::c64, value_type::c128})
      for (int axis = 0; axis < 3; ++axis)
        for (const boundary ends : {boundary::regular, boundary::periodic})
          for (const int own : {0, 2}) {
            ++turn;
            if (process_grid[axis] == 1 && turn % 5 != 0) continue;
            problem p{.type = type, .axis = axis, .boundary = ends};
            p.pivoting = turn % 2 == 0 ? pivoting::none : pivoting::partial;
            p.coefficients = coefficients::constant;
            p.operation = std::array{operation::none, operation::transpose,
                                     operation::conjugate_transpose}[turn / 2 % 3];
            p.matrix = matrix_of(type, own);
            for (const strategy how : kStrategies) {
              const constant_case c{p, uneven(process_grid, 9, turn % 3 == 0 ? 4 : 60),
                                    turn % 4 == 0, how};
              EXPECT_LE(error_of(c, random, by), 20)
                  << name(type) << ' ' << axis << ' ' << name(ends) << ' ' << own << ' '
                  << name(p.operation) << ' ' << name(how);
            }
          }
}

/// Nothing decays: the rows of every rank affect all other ranks.
TEST(RankConstant, WhatDoesNotDecayIsExact) {
  const communicator by = ranks();
  rng random = random_for("NoDecay");
  problem p{.axis = 0, .coefficients = coefficients::constant};
  p.matrix.interior = {-1, 2, -1};
  for (const index_t each : {1, 5, 40}) {
    for (const strategy how : kStrategies) {
      const constant_case c{
          p, distributed::decomposition({each * world_size(), 3}, {world_size(), 1}), false, how};
      // The condition number is about n^2 / 2.
      EXPECT_LE(error_of(c, random, by), 100 * each * world_size()) << each << name(how);
    }
  }
}

/// A line that no team of threads, and no whole group of lanes, is enough for; rows are summed in
/// pieces.
TEST(RankConstant, OneLongLineIsGathered) {
  const communicator by = ranks();
  rng random = random_for("OneLongLine");
  for (const value_type type : {value_type::f32, value_type::c128}) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      problem p{.type = type, .axis = 0, .boundary = ends, .coefficients = coefficients::constant};
      p.matrix = matrix_of(type, 0);
      EXPECT_LE(error_of({p, distributed::decomposition({1501 * world_size()}, {world_size()}),
                          false, strategy::gather},
                         random, by),
                20)
          << name(type) << ' ' << name(ends);
    }
  }
}

TEST(RankConstant, NoLinesAreGathered) {
  const communicator by = ranks();
  problem p{.axis = 0, .right_hand_sides = 0, .coefficients = coefficients::constant};
  p.matrix = matrix_of(p.type, 1);
  distributed_plan lines(distributed::decomposition({5 * world_size(), 3}, {world_size(), 1}), p,
                         by, {.strategy = strategy::gather});
  lines.execute(nullptr, nullptr, nullptr, nullptr, nullptr);
}

/// Every step of the thesis that a plan has takes some time, and together they are the phases.
TEST(RankConstant, StepsAreTimed) {
  const communicator by = ranks();
  if (world_size() == 1) GTEST_SKIP() << "one rank has no step but its own systems";
  problem p{.axis = 0, .coefficients = coefficients::constant};
  p.matrix = matrix_of(p.type, 1);
  const distributed::decomposition g({40 * world_size(), 500}, {world_size(), 1});
  ranks_array<double> rhs(std::vector<double>(40 * 500, 1)), x(rhs);
  for (const strategy how : kStrategies) {
    distributed_plan lines(g, p, by, {.strategy = how, .timings = true});
    lines.execute(nullptr, nullptr, nullptr, rhs.there(), x.there());
    by.synchronize(nullptr);
    const auto steps = lines.step_timings();
    const auto phases = lines.timings();
    const bool gathers = how == strategy::gather;
    EXPECT_GT(steps.primary, 0);
    EXPECT_GT(steps.sum, 0);
    EXPECT_EQ(steps.halo > 0, !gathers);
    EXPECT_EQ(steps.faces > 0, gathers);
    EXPECT_EQ(steps.reduced > 0, gathers);
    EXPECT_EQ(steps.right_hand_sides, 0);
    EXPECT_NEAR(phases.reduce + phases.interface + phases.expand,
                steps.halo + steps.primary + steps.faces + steps.reduced + steps.sum, 1e-9);
  }
}

TEST(RankConstant, SeveralRightHandSides) {
  const communicator by = ranks();
  rng random = random_for("Several");
  const int n = world_size();
  const distributed::decomposition g({10 * n, 4}, {n, 1});
  problem p{.axis = 0, .right_hand_sides = 3, .coefficients = coefficients::constant};
  p.matrix = matrix_of(p.type, 1);
  problem dense = p;
  dense.extents = {10 * n, 4};
  std::vector<double> rhs(static_cast<std::size_t>(3 * 40 * n)), expected(rhs.size());
  for (double& v : rhs) v = static_cast<double>(draw_number(random, p.type).real());
  const plan one(dense);
  std::vector<std::byte> workspace(one.workspace_bytes());
  one.execute(rhs.data(), expected.data(),
              {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
  const auto begin = static_cast<std::size_t>(40 * world_rank());
  std::vector<double> block;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = rhs.begin() + static_cast<std::ptrdiff_t>(k * 40 * n + begin);
    block.insert(block.end(), at, at + 40);
  }
  for (const strategy how : kStrategies) {
    distributed_plan lines(g, p, by, {.strategy = how});
    ranks_array<double> from(block), to(std::vector<double>(block.size(), 0));
    lines.start(nullptr, nullptr, nullptr, from.there(), to.there());
    lines.finish();
    const auto x = to.get();
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 40; ++i)
        EXPECT_NEAR(x[40 * k + i], expected[k * 40 * n + begin + i], 1e-14);
  }
}

TEST(RankConstant, StatusNamesTheFirstRowThatIsNotFinite) {
  const communicator by = ranks();
  rng random = random_for("ConstantStatus");
  problem p{.axis = 0, .coefficients = coefficients::constant};
  p.matrix = matrix_of(p.type, 1);
  const index_t rows = 6 * world_size();
  const constant_case c{p, distributed::decomposition({rows, 5}, {world_size(), 1})};
  field rhs = drawn(c, random), x(p.type, c.blocks, false);
  constexpr auto nan = std::numeric_limits<long double>::quiet_NaN();
  rhs.set((rows - 1) * 5 + 1, nan);
  rhs.set(0 * 5 + 3, nan), rhs.set((rows - 2) * 5 + 3, nan);
  rhs.scatter();
  for (const strategy how : kStrategies) {
    distributed_plan lines(c.blocks, local_of(c, rhs, x), by, {.strategy = how});
    ranks_array<index_t> status(std::vector<index_t>(5, 99));
    lines.execute(nullptr, nullptr, nullptr, rhs.block(), x.block(), {.status = status.there()});
    EXPECT_EQ(status.get(), (std::vector<index_t>{0, -rows, 0, -1, 0}));
    x.collect();
    for (index_t k = 0; k < rows; ++k) {
      for (const index_t line : {0, 2, 4}) EXPECT_FALSE(std::isnan(x.get(k * 5 + line).real()));
      if (world_size() == 1) continue;
      for (const index_t line : {1, 3}) EXPECT_TRUE(std::isnan(x.get(k * 5 + line).real()));
    }
  }
}

TEST(RankConstant, BadInputIsRefusedOnAllRanks) {
  const communicator by = ranks();
  const int n = world_size();
  problem p{.axis = 0, .coefficients = coefficients::constant};
  p.matrix = matrix_of(p.type, 1);
  const distributed::decomposition g({3 * n, 2}, {n, 1});
  distributed_plan lines(g, p, by);
  std::vector<double> a(100);
  ranks_array<double> array(a);
  EXPECT_NE(
      refusal(errc::invalid_argument,
              [&] { lines.start(array.there(), nullptr, nullptr, array.there(), array.there()); })
          .find("dl: is given"),
      std::string::npos);
  problem complex = p;
  complex.matrix.interior.d = {3, 1};
  EXPECT_NE(
      refusal(errc::invalid_argument, [&] { distributed_plan(g, complex, by); }).find("imaginary"),
      std::string::npos);
  if (n == 1) return;
  for (const strategy how :
       {strategy::allgather, strategy::pcr, strategy::all_to_all, strategy::nearest}) {
    const std::string what =
        refusal(errc::unsupported, [&] { distributed_plan(g, p, by, {.strategy = how}); });
    EXPECT_NE(what.find(name(how)), std::string::npos) << what;
    EXPECT_NE(what.find("constant"), std::string::npos) << what;
  }
  problem other = p;
  if (world_rank() == 0) other.matrix.interior.d = 5;
  EXPECT_NE(refusal(errc::invalid_argument, [&] { distributed_plan(g, other, by); })
                .find("matrix: ranks disagree"),
            std::string::npos);
  // The matrix is not singular as a whole, but three of its rows alone are.
  problem alone = p;
  alone.matrix = {{1, 0, 1}, {}, {}};
  for (const strategy how : kStrategies) {
    if (n % 2 != 0) break;
    const auto make = [&] { distributed_plan(g, alone, by, {.strategy = how}); };
    EXPECT_NE(refusal(errc::unsupported, make).find("singular"), std::string::npos);
  }
  // Only some ranks of many have singular rows; still, all go on together.
  std::vector<index_t> parts(static_cast<std::size_t>(n), 2);
  parts.front() = parts.back() = 3;
  const auto odd = distributed::decomposition::of_parts({parts, {2}});
  const bool here = world_rank() == 0 || world_rank() == n - 1;
  rng random = random_for("GoOn");
  for (const strategy how : kStrategies) {
    EXPECT_NE(refusal(here ? errc::unsupported : errc::invalid_argument,
                      [&] { distributed_plan(odd, alone, by, {.strategy = how}); }),
              "");
    EXPECT_LE(error_of({p, g, false, how}, random, by), 20);
  }
}

/// The last rank leaves out one execution. The first rank waits for its faces, and all others wait
/// for the first rank: each reports it, and at once in the next execution.
TEST(RankConstant, AnAbsentRankIsAnErrorOnAllThatGather) {
  if (world_size() < 2) GTEST_SKIP() << "one rank waits for nobody";
  constexpr double limit = 2.5;
  const communicator by = ranks(limit);
  problem p{.axis = 0, .coefficients = coefficients::constant};
  p.matrix = matrix_of(p.type, 1);
  const distributed::decomposition g({6 * world_size(), 100}, {world_size(), 1});
  distributed_plan lines(g, p, by, {.strategy = strategy::gather});
  ranks_array<double> x(std::vector<double>(600, 1));
  const auto execute = [&] {
    lines.execute(nullptr, nullptr, nullptr, x.there(), x.there());
    by.synchronize(nullptr);
  };
  execute();
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() != world_size() - 1) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_NE(refusal(errc::peer_failure, execute), "");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    EXPECT_LT(took.count(), 2 * limit + 2);
    EXPECT_NE(refusal(errc::peer_failure, execute).find("has failed before"), std::string::npos);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace tridia_test
