// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests check the shapes that the papers' algorithms choose for a problem, and need no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/hierarchical.hpp"
#include "solver/cuda/named/neato.hpp"
#include "solver/cuda/named/packed_cr.hpp"
#include "solver/cuda/named/thomas_batch.hpp"
#include "support/prefix_sum.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

using tridia::algorithm;
using tridia::errc;
using tridia::problem;
using tridia::transformation;
using tridia::value_type;

constexpr std::size_t kSharedBytes = 227 << 10;
constexpr tridia::gpu::device_limits kDevice{.shared_bytes = kSharedBytes, .capability = 90};

tridia::solver::task task_for(const problem& p, algorithm a,
                              const tridia::algorithm_parameters& parameters = {}) {
  tridia::solver::task t = task_of(p);
  t.options.algorithm = a;
  t.options.parameters = parameters;
  return t;
}

auto plan_of(algorithm a) {
  return a == algorithm::cr       ? tridia::cuda::plan_cr
         : a == algorithm::crnbc  ? tridia::cuda::plan_crnbc
         : a == algorithm::pcr    ? tridia::cuda::plan_pcr
         : a == algorithm::cr_pcr ? tridia::cuda::plan_cr_pcr
                                  : tridia::cuda::plan_pcr_thomas;
}

TEST(CyclicShape, GoesFromOneMethodToTheOther) {
  const problem p{.extents = {5, 1000}};
  const auto shape = [&](algorithm a, int switch_point) {
    return plan_of(a)(task_for(p, a, {.switch_point = switch_point}), kDevice);
  };
  EXPECT_EQ(shape(algorithm::cr, 0).switch_point, 1);
  EXPECT_EQ(shape(algorithm::pcr, 0).switch_point, 1000);
  EXPECT_EQ(shape(algorithm::cr_pcr, 77).switch_point, 77);
  EXPECT_EQ(shape(algorithm::cr_pcr, 1 << 20).switch_point, 1000);
  EXPECT_EQ(shape(algorithm::cr_pcr, 1).shared_bytes, shape(algorithm::cr, 0).shared_bytes);
  EXPECT_EQ(shape(algorithm::cr_pcr, 1000).shared_bytes, shape(algorithm::pcr, 0).shared_bytes);
  EXPECT_EQ(shape(algorithm::cr, 0).shared_bytes, 3 * 8 * 1000);
  EXPECT_EQ(shape(algorithm::pcr, 0).shared_bytes, 6 * 8 * 1000);
  EXPECT_EQ(shape(algorithm::pcr_thomas, 1000).shared_bytes, 3 * 8 * 1000);
  EXPECT_GT(shape(algorithm::crnbc, 0).shared_bytes, shape(algorithm::cr, 0).shared_bytes);
}

TEST(CyclicShape, RefusesWhatDoesNotFit) {
  for (const algorithm a :
       {algorithm::cr, algorithm::crnbc, algorithm::pcr, algorithm::cr_pcr, algorithm::pcr_thomas})
    for (const tridia::index_t n : {20'000, 70'000, 1 << 30})
      expect_refusal(errc::unsupported,
                     {std::string(name(a)), std::to_string(n), "f64", std::to_string(kSharedBytes)},
                     [&] { plan_of(a)(task_for({.extents = {n}}, a), kDevice); });
}

TEST(NeatoShape, IsInSharedMemoryWhereItFits) {
  const auto shape = [](tridia::index_t n, tridia::neato_memory memory) {
    return tridia::cuda::plan_neato(
        task_for({.extents = {3, n}}, algorithm::neato, {.memory = memory}), kSharedBytes);
  };
  using tridia::neato_memory;
  constexpr tridia::index_t most = kSharedBytes / 8 * 2 + 1;
  for (const tridia::index_t n :
       {tridia::index_t{0}, tridia::index_t{1}, tridia::index_t{1000}, most}) {
    EXPECT_TRUE(shape(n, neato_memory::automatic).shared);
    EXPECT_FALSE(shape(n, neato_memory::global).shared);
  }
  EXPECT_FALSE(shape(most + 1, neato_memory::automatic).shared);
  EXPECT_EQ(shape(1000, neato_memory::shared).shared_bytes, 8 * 500);
  EXPECT_EQ(shape(1000, neato_memory::global).stages, 9);
  expect_refusal(errc::unsupported, {"memory", std::to_string(most + 1), "f64", "global"},
                 [&] { shape(most + 1, neato_memory::shared); });
}

TEST(PackedShape, TakesThePackingDepth) {
  for (const value_type type : {value_type::f32, value_type::f64})
    for (const int depth : kPackingDepths) {
      const int threads = tridia::cuda::most_packed_threads(depth, size_of(type));
      EXPECT_GE(threads, 128);
      const tridia::index_t most = tridia::index_t{depth} * threads;
      const auto shape = [&](tridia::index_t n) {
        return tridia::cuda::plan_packed(task_for({.type = type, .extents = {n}},
                                                  algorithm::packed_cr, {.packing_depth = depth}),
                                         kDevice);
      };
      EXPECT_EQ(shape(most).threads, threads);
      EXPECT_EQ(shape(most).depth, depth);
      expect_refusal(errc::unsupported, {"packed_cr", std::to_string(depth), std::to_string(most)},
                     [&] { shape(most + 1); });
    }
}

TEST(PackedShape, IsDeeperWhereItHasToBe) {
  const auto depth = [](tridia::index_t n) {
    return tridia::cuda::plan_packed(task_for({.extents = {n}}, algorithm::packed_cr), kDevice)
        .depth;
  };
  EXPECT_LT(depth(1000), depth(8000));
  expect_refusal(errc::unsupported, {"packed_cr", "100000"}, [&] { depth(100'000); });
}

/// Returns a batch that keeps a GPU busy, for which the shipped table counts, or one system.
problem batch_of(value_type type, tridia::index_t n, bool busy) {
  return {.type = type,
          .extents = {busy ? (tridia::index_t{1} << 20) / n : 1, n},
          .pivoting = tridia::pivoting::none};
}

// The results in bench/results/nvidia-h200 (hybrid, packing) have these as the best.
TEST(NamedShape, TakesWhatWasMeasuredByDefault) {
  for (const value_type type : {value_type::f32, value_type::f64})
    for (const bool busy : {false, true}) {
      const auto task = [&](algorithm a, tridia::index_t n) {
        return task_for(batch_of(type, n, busy), a);
      };
      EXPECT_EQ(tridia::cuda::plan_hierarchical(task(algorithm::hierarchical, 1024), kDevice)
                    .switch_point,
                32);
      for (const tridia::index_t n : {1, 8, 33, 500, 1024, 2048, 4842})
        EXPECT_EQ(
            plan_of(algorithm::pcr_thomas)(task(algorithm::pcr_thomas, n), kDevice).switch_point,
            std::min<tridia::index_t>(n, 32));
      EXPECT_EQ(plan_of(algorithm::cr_pcr)(task(algorithm::cr_pcr, 1024), kDevice).switch_point,
                256);
      EXPECT_EQ(plan_of(algorithm::crnbc)(task(algorithm::crnbc, 1024), kDevice).switch_point, 1);
      for (const tridia::index_t n : {512, 1024, 2048, 4096})
        EXPECT_EQ(tridia::cuda::plan_packed(task(algorithm::packed_cr, n), kDevice).depth, 8);
    }
}

/// Returns a task with a table of one entry: of the algorithm, f64, at `measured_rows`.
tridia::solver::task tuned_task(algorithm a, tridia::index_t n, tridia::index_t measured_rows,
                                int value, const tridia::algorithm_parameters& parameters = {}) {
  tridia::solver::task t = task_for(batch_of(value_type::f64, n, false), a, parameters);
  auto table = std::make_shared<tridia::tuning_table>();
  table->add({.compute_capability = kDevice.capability,
              .kernel = std::string(name(a)),
              .rows = measured_rows,
              .values = {value}});
  t.options.tuning = std::move(table);
  return t;
}

TEST(NamedShape, TakesTheTunedValueOfTheNearestLength) {
  for (const algorithm a : {algorithm::crnbc, algorithm::cr_pcr, algorithm::pcr_thomas}) {
    const auto point = [&](tridia::index_t n, int value,
                           const tridia::algorithm_parameters& parameters = {}) {
      return plan_of(a)(tuned_task(a, n, 1000, value, parameters), kDevice).switch_point;
    };
    const int rule =
        plan_of(a)(task_for(batch_of(value_type::f64, 2001, false), a), kDevice).switch_point;
    EXPECT_EQ(point(1000, 8), 8);
    EXPECT_EQ(point(500, 8), 8);
    EXPECT_EQ(point(2000, 8), 8);
    EXPECT_EQ(point(2001, 8), rule) << "the entry is too far away";
    EXPECT_EQ(point(1000, 8, {.switch_point = 4}), 4) << "the caller has the last word";
    EXPECT_EQ(point(500, 1024), 500) << "no more than there are rows";
  }
  const auto hierarchical = [&](tridia::index_t n, int value) {
    return tridia::cuda::plan_hierarchical(tuned_task(algorithm::hierarchical, n, n, value),
                                           kDevice);
  };
  EXPECT_EQ(hierarchical(20'000, 4).switch_point, 4);
  EXPECT_EQ(hierarchical(1000, 4).switch_point, 4);
  const auto depth = [](tridia::index_t n, int value, int asked = 0) {
    return tridia::cuda::plan_packed(
               tuned_task(algorithm::packed_cr, n, n, value, {.packing_depth = asked}), kDevice)
        .depth;
  };
  EXPECT_EQ(depth(1000, 4), 4);
  EXPECT_EQ(depth(1000, 32), 32);
  EXPECT_EQ(depth(1000, 4, 16), 16);
}

// What was measured at fewer rows, or for another type, may ask for more than a block has.
TEST(NamedShape, FitsWhereTheTunedValueDoesNot) {
  const auto point = [](tridia::index_t n, int value) {
    return plan_of(algorithm::cr_pcr)(tuned_task(algorithm::cr_pcr, n, 5000, value), kDevice)
        .switch_point;
  };
  EXPECT_EQ(point(7600, 1024), 1024);
  EXPECT_EQ(point(8192, 1024), 512);
  EXPECT_EQ(point(9685, 1024), 1);
  expect_refusal(errc::unsupported, {"cr_pcr", "9686"}, [&] { point(9686, 1024); });
  // The caller's is not changed.
  expect_refusal(errc::unsupported, {"cr_pcr", "8192"}, [] {
    plan_of(algorithm::cr_pcr)(tuned_task(algorithm::cr_pcr, 8192, 8192, 1, {.switch_point = 1024}),
                               kDevice);
  });
  EXPECT_EQ(
      tridia::cuda::plan_packed(tuned_task(algorithm::packed_cr, 4096, 3000, 2), kDevice).depth, 8);
}

TEST(NamedShape, IgnoresEntriesOfOtherDevices) {
  const tridia::gpu::device_limits other{.shared_bytes = kSharedBytes, .capability = 80};
  EXPECT_EQ(plan_of(algorithm::pcr_thomas)(tuned_task(algorithm::pcr_thomas, 1000, 1000, 8), other)
                .switch_point,
            32);
}

TEST(HierarchicalShape, SplitsUntilABlockHasRoom) {
  for (const tridia::index_t n : {1, 100, 4842, 4843, 10'000, 1'000'003}) {
    const auto s = tridia::cuda::plan_hierarchical(
        task_for({.extents = {n}}, algorithm::hierarchical), kDevice);
    EXPECT_LE(s.shared_bytes, kSharedBytes);
    EXPECT_GE(tridia::index_t{s.pitch} << s.splits, n);
    EXPECT_TRUE(s.splits == 0 || 4 * s.shared_bytes > kSharedBytes) << n;
  }
}

TEST(SortedBatch, HasNoGaps) {
  rng random = random_for("SortedBatch");
  for (int run = 0; run < 50; ++run) {
    std::vector<tridia::index_t> offsets{0};
    const tridia::index_t systems = draw(random, 0, 40), sides = draw(random, 1, 3);
    for (tridia::index_t k = 0; k < systems; ++k)
      offsets.push_back(offsets.back() + draw(random, 0, 9));
    const auto sorted = tridia::cuda::sort_batch(offsets, sides);
    std::vector<int> taken(static_cast<std::size_t>(offsets.back() * sides));
    for (std::size_t i = 0; i < sorted.order.size(); ++i) {
      const auto m = static_cast<std::size_t>(sorted.order[i] / sides);
      for (tridia::index_t k = 0; k < offsets[m + 1] - offsets[m]; ++k)
        ++taken.at(static_cast<std::size_t>(sorted.row_starts.at(static_cast<std::size_t>(k))) + i);
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), offsets.back() * sides);
  }
}

TEST(Interleaving, HasRoomForAll) {
  const auto plan = [](const problem& p, transformation how) {
    return tridia::cuda::plan_interleaving(task_for(p, algorithm::thomas, {.transformation = how}));
  };
  EXPECT_EQ(plan({.extents = {33, 10}}, transformation::full).pitch, 330);
  EXPECT_EQ(plan({.extents = {33, 10}}, transformation::blocks).pitch, 640);
  const problem ragged{.extents = {14}, .offsets = {0, 3, 13, 14}};
  EXPECT_EQ(plan(ragged, transformation::full).pitch, 30);
  EXPECT_EQ(plan(ragged, transformation::packed).pitch, 14);
}

}  // namespace
}  // namespace tridia_test
