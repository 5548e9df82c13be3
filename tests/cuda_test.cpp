// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests are for streams, graphs and tuning. Everything else that a GPU does is in the suites
// that run on every backend.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "solver/cuda/method.hpp"
#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"
#include "tridia/info.hpp"

namespace tridia_test {
namespace {

using tridia::problem;

std::vector<problem> problems() {
  return {{.extents = {70, 65}},
          {.extents = {65, 70}, .axis = 0, .pivoting = tridia::pivoting::none},
          {.type = tridia::value_type::c64, .extents = {70, 65}, .right_hand_sides = 3},
          {.extents = {70, 65}, .boundary = tridia::boundary::periodic},
          // These are too long for one block: clusters share a system, or several.
          {.extents = {7, 9000}},
          {.extents = {3000, 9}, .axis = 0, .boundary = tridia::boundary::periodic},
          // These are too long for the chip, and take several passes.
          {.extents = {3, 40009}},
          {.extents = {40009, 3}, .axis = 0, .pivoting = tridia::pivoting::none},
          {.type = tridia::value_type::f32,
           .extents = {70, 65},
           .coefficients = tridia::coefficients::shared},
          // These are solved by a scan, or not, as the GPU decides.
          {.extents = {70, 128},
           .pivoting = tridia::pivoting::none,
           .coefficients = tridia::coefficients::shared},
          {.extents = {128, 70}, .axis = 0, .coefficients = tridia::coefficients::shared},
          {.extents = {300}, .offsets = {0, 17, 17, 200, 300}}};
}

class Cuda : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    stream_ = make_stream();
    how_ = {.backend = tridia::backend::cuda, .factored = GetParam(), .stream = stream_.get()};
  }
  void fill(experiment& e) {
    e.fill_matrices(random_, draw_size(random_));
    e.fill_rhs(random_);
    e.give();
  }
  void expect_solved(experiment& e) {
    EXPECT_EQ(e.take(), "");
    EXPECT_EQ(check_solution(e, 65), "") << describe(e.problem());
  }

  /// Solves once more, with a right-hand side that is NaN in one of at most `apart` systems.
  void expect_solved_among_bad_ones(experiment& e, index_t apart) {
    std::vector<bool> bad(static_cast<std::size_t>(e.where().systems()));
    for (index_t s = 0; s < e.where().systems(); s += draw(random_, 1, apart)) {
      const index_t n = e.where().rows(s);
      if (n == 0) continue;
      bad[static_cast<std::size_t>(s)] = true;
      e.set(role::rhs, s, draw(random_, 0, n - 1), std::numeric_limits<double>::quiet_NaN());
    }
    EXPECT_EQ(e.run(), "");
    for (index_t s = 0; s < e.where().systems(); ++s) {
      const bool is_bad = bad[static_cast<std::size_t>(s)];
      ASSERT_EQ(e.status()[static_cast<std::size_t>(s)] < 0, is_bad)
          << "system " << s << " of " << describe(e.problem());
      if (is_bad) continue;
      ASSERT_LE(backward_error(matrix_of(e, s), solution_of(e, s, 0), rhs_of(e, s, 0)),
                kBackwardBound * epsilon(e.problem().type))
          << "system " << s << " of " << describe(e.problem());
    }
  }

  stream_handle stream_{nullptr, [](void*) {}};
  run_options how_;
  rng random_ = random_for("Cuda");
};

// The stream does not wait for the default stream, so waiting for it alone must be enough.
TEST_P(Cuda, RunsOnAStream) {
  for (const problem& p : problems()) {
    experiment e(p, how_);
    fill(e);
    e.enqueue();
    wait_for(stream_.get());
    expect_solved(e);
  }
}

TEST_P(Cuda, IsCapturedInAGraph) {
  for (const problem& p : problems()) {
    experiment e(p, how_);
    fill(e);
    captured_graph graph(stream_.get(), [&] { e.enqueue(); });
    for (int replay = 0; replay < 3; ++replay) {
      fill(e);  // Other data each time, at the same addresses.
      graph.replay();
      expect_solved(e);
    }
  }
}

/// Returns batches of short systems that follow each other: many blocks, each with many systems.
std::vector<problem> joined_problems(rng& random) {
  std::vector<problem> all;
  const auto add_ragged = [&](index_t systems, index_t most, index_t outlier) {
    problem p{.extents = {0}, .offsets = {0}};
    for (index_t s = 0; s < systems; ++s)
      p.offsets.push_back(p.offsets.back() + (s == systems / 3 ? outlier : draw(random, 0, most)));
    p.extents[0] = p.offsets.back();
    all.push_back(p);
  };
  add_ragged(400, 300, 0);
  add_ragged(3000, 3, 0);
  add_ragged(3000, 20, 2500);  // as long as needs a larger block
  add_ragged(300, 20, 50000);  // too long for any
  for (const index_t n : {1, 2, 8, 33, 100}) all.push_back({.extents = {5000 / n, n}});
  return all;
}

// Bad values affect their own system only, wherever the pieces are cut.
TEST_P(Cuda, SolvesJoinedSystemsAmongBadOnes) {
  for (problem p : joined_problems(random_))
    for (const auto pivoting : {tridia::pivoting::partial, tridia::pivoting::none})
      for (const auto operation : {tridia::operation::none, tridia::operation::transpose}) {
        p.type = draw(random_, 0, 1) == 0 ? tridia::value_type::f64 : tridia::value_type::c64;
        p.pivoting = pivoting, p.operation = operation;
        run_options how = how_;
        how.guard = static_cast<std::size_t>(draw(random_, 0, 5));
        how.apart = flip(random_);
        if (!how.factored && flip(random_)) {
          p.x_strides = p.rhs_strides;
          how.alias = role::rhs;
        }
        experiment e(p, how);
        fill(e);
        e.enqueue();
        wait_for(stream_.get());
        expect_solved(e);
        expect_solved_among_bad_ones(e, 400);
      }
}

// There are more systems side by side than a GPU holds at a time, so that blocks take several
// tiles: each tile is loaded while the previous one is solved, whatever values that has.
TEST_P(Cuda, SolvesTilesInTurns) {
  if (GetParam()) GTEST_SKIP() << "with factors only right-hand sides move";
  const std::vector<problem> all{
      {.extents = {250, 13000}, .axis = 0, .pivoting = tridia::pivoting::none},
      {.type = tridia::value_type::f32,
       .extents = {250, 26000},
       .axis = 0,
       .pivoting = tridia::pivoting::none,
       .operation = tridia::operation::transpose},
      {.type = tridia::value_type::c64,
       .extents = {5, 300, 2608},
       .axis = 1,
       .boundary = tridia::boundary::periodic,
       .pivoting = tridia::pivoting::none}};
  // Code for older cards takes another path, on any card.
  const tridia::gpu::device_limits limits = tridia::gpu::current_device_limits();
  const bool takes_turns = limits.clusters && limits.capability / 10 == 9;
  for (const problem& p : all) {
    run_options how = how_;
    if (p.type == tridia::value_type::f64) how.alias = role::rhs;
    experiment e(p, how);
    if (takes_turns) {
      EXPECT_NE(e.plan().reason().find("one after another"), std::string::npos) << describe(p);
    }
    fill(e);
    e.enqueue();
    wait_for(stream_.get());
    expect_solved(e);
    expect_solved_among_bad_ones(e, 1000);
  }
}

/// Returns a table with values drawn for every parameter of every kernel that `automatic` may use,
/// for systems like those of `p`.
std::shared_ptr<const tridia::tuning_table> draw_tuning(const problem& p, rng& random) {
  const tridia::cuda_device device = tridia::query_system().cuda_devices.at(0);
  auto table = std::make_shared<tridia::tuning_table>();
  for (const tridia::tunable_kernel& k : tridia::tunable_kernels()) {
    if (tridia::parse<tridia::algorithm>(k.name)) continue;
    std::vector<int> values;
    for (const auto& parameter : k.parameters) {
      const auto last = static_cast<index_t>(parameter.values.size()) - 1;
      const index_t drawn = draw(random, -1, last);
      values.push_back(drawn < 0 ? 0 : parameter.values[static_cast<std::size_t>(drawn)]);
    }
    table->add({10 * device.compute_capability_major + device.compute_capability_minor,
                std::string(k.name), p.type, p.pivoting, p.axis == 0,
                p.extents[p.axis == 0 ? 0 : 1], values});
  }
  return table;
}

// A plan solves correctly whatever a table says.
TEST_P(Cuda, SolvesWithAnyTuning) {
  constexpr index_t lengths[] = {2, 3, 8, 9, 16, 33, 64, 100, 127, 500, 1000, 2048};
  constexpr index_t rounds = 200, batch = 71;
  for (index_t round = 0; round < rounds && !HasFailure(); ++round) {
    const auto pick = [&](index_t count) {
      return static_cast<std::size_t>(draw(random_, 0, count - 1));
    };
    problem p{.type = kTypes[pick(4)]};
    const index_t n = lengths[pick(std::size(lengths))];
    p.axis = flip(random_) ? 0 : 1;
    p.extents = {batch, n};
    if (p.axis == 0) std::swap(p.extents[0], p.extents[1]);
    p.pivoting = flip(random_) ? tridia::pivoting::none : tridia::pivoting::partial;
    p.boundary = flip(random_) ? tridia::boundary::regular : tridia::boundary::periodic;
    run_options how = how_;
    how.tuning = draw_tuning(p, random_);
    SCOPED_TRACE(how.tuning->text());
    experiment e(p, how);
    fill(e);
    e.enqueue();
    wait_for(stream_.get());
    EXPECT_EQ(e.take(), "");
    EXPECT_EQ(check_solution(e, 0), "") << describe(p) << "; " << e.plan().reason();
  }
}

std::vector<bool> factored() {
  return have_gpu() ? std::vector<bool>{false, true} : std::vector<bool>{};
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Cuda);
INSTANTIATE_TEST_SUITE_P(All, Cuda, ::testing::ValuesIn(factored()), [](const auto& test) {
  return std::string(test.param ? "factored" : "executed");
});

}  // namespace
}  // namespace tridia_test
