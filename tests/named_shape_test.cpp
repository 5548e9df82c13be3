// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests check the shapes that the papers' algorithms choose for a problem, and need no GPU.
#include <gtest/gtest.h>

#include <algorithm>
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
    return plan_of(a)(task_for(p, a, {.switch_point = switch_point}), kSharedBytes);
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
                     [&] { plan_of(a)(task_for({.extents = {n}}, a), kSharedBytes); });
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
                                                  algorithm::packed_cr, {.packing_depth = depth}));
      };
      EXPECT_EQ(shape(most).threads, threads);
      EXPECT_EQ(shape(most).depth, depth);
      expect_refusal(errc::unsupported, {"packed_cr", std::to_string(depth), std::to_string(most)},
                     [&] { shape(most + 1); });
    }
}

TEST(PackedShape, IsDeeperWhereItHasToBe) {
  const auto depth = [](tridia::index_t n) {
    return tridia::cuda::plan_packed(task_for({.extents = {n}}, algorithm::packed_cr)).depth;
  };
  EXPECT_LT(depth(1000), depth(8000));
  expect_refusal(errc::unsupported, {"packed_cr", "100000"}, [&] { depth(100'000); });
}

TEST(HierarchicalShape, SplitsUntilABlockHasRoom) {
  for (const tridia::index_t n : {1, 100, 4842, 4843, 10'000, 1'000'003}) {
    const auto s = tridia::cuda::plan_hierarchical(
        task_for({.extents = {n}}, algorithm::hierarchical), kSharedBytes);
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
