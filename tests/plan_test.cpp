// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests check what a plan says about itself, that threads may share it, and that it allocates
// nothing.
#include "tridia/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "support/allocations.hpp"
#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"
#include "tridia/info.hpp"

namespace tridia_test {
namespace {

using tridia::algorithm;
using tridia::pivoting;
using tridia::plan;
using tridia::problem;

class Plan : public ::testing::TestWithParam<tridia::backend> {};

TEST_P(Plan, DescribesItself) {
  const plan p({.type = tridia::value_type::c64, .extents = {50, 70, 40}, .axis = 1},
               {.backend = GetParam(), .threads = 2});
  EXPECT_EQ(p.problem().type, tridia::value_type::c64);
  EXPECT_EQ(p.problem().extents, (std::vector<index_t>{50, 70, 40}));
  EXPECT_EQ(p.backend(), GetParam());
  EXPECT_EQ(p.systems(), 2000);
  EXPECT_EQ(p.threads(), GetParam() == tridia::backend::cpu ? 2 : 1);
  EXPECT_FALSE(p.reason().empty());
  EXPECT_GT(p.factors_bytes(), 0U);
}

TEST_P(Plan, ChoosesAnAlgorithm) {
  for (const pivoting v : {pivoting::partial, pivoting::none}) {
    const plan p({.extents = {5, 7}, .pivoting = v}, {.backend = GetParam()});
    EXPECT_NE(p.algorithm(), algorithm::automatic);
    const plan again({.extents = {5, 7}, .pivoting = v},
                     {.backend = GetParam(), .algorithm = p.algorithm()});
    EXPECT_EQ(again.algorithm(), p.algorithm());
    EXPECT_EQ(p.algorithm() == algorithm::partition, GetParam() == tridia::backend::cuda);
  }
}

TEST_P(Plan, CountsSystems) {
  const auto systems = [](const problem& p) { return plan(p, {.backend = GetParam()}).systems(); };
  EXPECT_EQ(systems({.extents = {7}}), 1);
  EXPECT_EQ(systems({.extents = {0}}), 1);
  EXPECT_EQ(systems({.extents = {3, 0}}), 3);
  EXPECT_EQ(systems({.extents = {0, 3}}), 0);
  EXPECT_EQ(systems({.extents = {2, 3, 4}, .axis = -2, .right_hand_sides = 5}), 8);
  EXPECT_EQ(systems({.extents = {5}, .offsets = {0, 0, 5, 5}}), 3);
  using tridia::ragged_layout;
  EXPECT_EQ(
      systems({.extents = {5}, .offsets = {0, 3, 5, 5}, .ragged_layout = ragged_layout::packed}),
      3);
  EXPECT_EQ(
      systems({.extents = {3, 4}, .offsets = {0, 0, 4, 5}, .ragged_layout = ragged_layout::padded}),
      3);
}

TEST_P(Plan, Moves) {
  plan first({.extents = {5, 7}}, {.backend = GetParam()});
  const std::size_t bytes = first.workspace_bytes();
  plan second = std::move(first);
  EXPECT_EQ(second.workspace_bytes(), bytes);
  first = std::move(second);
  EXPECT_EQ(first.systems(), 5);
}

// Many threads share one plan, each with its own arrays and workspace.
TEST_P(Plan, IsSharedByThreads) {
  const index_t n = 100, batch = 33, elements = n * batch;
  const plan p({.extents = {batch, n}}, {.backend = GetParam(), .threads = 2});
  std::atomic<int> wrong{0};
  const auto work = [&](int number) {
    // The matrix has -1, 4, -1 in each row, and x = number.
    const double v = number;
    std::vector<double> rhs(static_cast<std::size_t>(elements), 2 * v);
    for (std::size_t k = 0; k < rhs.size(); k += n) rhs[k] = rhs[k + n - 1] = 3 * v;
    buffer off(GetParam(), rhs.size() * 8), d(GetParam(), rhs.size() * 8),
        x(GetParam(), rhs.size() * 8), workspace(GetParam(), p.workspace_bytes());
    std::fill_n(reinterpret_cast<double*>(off.host()), elements, -1.0);
    std::fill_n(reinterpret_cast<double*>(d.host()), elements, 4.0);
    off.push();
    d.push();
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::copy(rhs.begin(), rhs.end(), reinterpret_cast<double*>(x.host()));
      x.push();
      const tridia::execution e{.workspace = workspace.pointer(),
                                .workspace_bytes = workspace.size()};
      p.execute(static_cast<const void*>(off.pointer()), d.pointer(), off.pointer(), x.pointer(),
                x.pointer(), e);
      x.pull();
      const auto* solved = reinterpret_cast<const double*>(x.host());
      wrong += static_cast<int>(std::count_if(
          solved, solved + elements, [v](double s) { return !(std::abs(s - v) < 1e-12 * v); }));
    }
  };
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) threads.emplace_back(work, t);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// Problems of every kind of layout are executed, as each kind has separate code.
TEST_P(Plan, ExecutionAllocatesNothing) {
  rng random = random_for("ExecutionAllocatesNothing");
  const problem ragged{.extents = {60}, .offsets = {0, 7, 7, 40, 60}};
  for (const problem& p :
       {problem{.extents = {9, 33}}, problem{.extents = {33, 9}, .axis = 0},
        problem{.extents = {9, 33}, .right_hand_sides = 3},
        problem{.extents = {9, 33}, .boundary = tridia::boundary::periodic},
        problem{.extents = {9, 33}, .coefficients = tridia::coefficients::shared}, ragged})
    for (const bool factored : {false, true}) {
      experiment e(p, {.backend = GetParam(), .threads = 2, .factored = factored});
      e.fill_matrices(random);
      e.fill_rhs(random);
      e.give();
      e.enqueue();  // Once more than needed: threads and CUDA modules start now.
      const long before = allocations();
      e.enqueue();
      EXPECT_EQ(allocations(), before) << describe(p);
      EXPECT_EQ(e.take(), "");
      EXPECT_EQ(check_solution(e, 33), "");
    }
}

INSTANTIATE_TEST_SUITE_P(All, Plan, ::testing::ValuesIn(backends()),
                         [](const auto& test) { return std::string(tridia::name(test.param)); });

TEST(Info, System) {
  const tridia::system_info info = tridia::query_system();
  EXPECT_GE(info.threads, 1);
  EXPECT_FALSE(info.simd.empty());
  EXPECT_TRUE(info.cuda_built || info.cuda_devices.empty());
  EXPECT_EQ(info.cuda_built, !info.cuda_runtime.empty());
  for (const tridia::cuda_device& device : info.cuda_devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_GT(device.memory_bytes, 0U);
    EXPECT_GT(device.multiprocessors, 0);
    EXPECT_GE(device.compute_capability_major, 5);
  }
  const std::string version = tridia::version();
  EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2) << version;
}

}  // namespace
}  // namespace tridia_test
