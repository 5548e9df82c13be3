// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests cover the parts of distributed fields that need no ranks: decompositions, the model
// of the strategies, packing.
#include "tridia/distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "distributed/box.hpp"
#include "distributed/decay.hpp"
#include "distributed/model.hpp"
#include "distributed/subdomain/status_exchange_in.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::distributed::decomposition;
using tridia::distributed::strategy;

TEST(Decomposition, CoversEveryPointOnce) {
  for (const auto& ranks : std::vector<std::vector<int>>{{1, 1, 1}, {3, 1, 2}, {2, 5, 7}}) {
    const decomposition g({11, 5, 7}, ranks);
    std::vector<int> held(11 * 5 * 7);
    for (int r = 0; r < g.size(); ++r) {
      const auto b = g.block(r);
      for (index_t i = b.begin[0]; i < b.begin[0] + b.extents[0]; ++i)
        for (index_t j = b.begin[1]; j < b.begin[1] + b.extents[1]; ++j)
          for (index_t k = b.begin[2]; k < b.begin[2] + b.extents[2]; ++k)
            ++held[(i * 5 + j) * 7 + k];
      EXPECT_EQ(g.rank_of(g.coordinates(r)), r);
    }
    EXPECT_EQ(held, std::vector<int>(held.size(), 1));
  }
}

TEST(Decomposition, SharesPointsOutEvenlyUnlessToldHow) {
  EXPECT_EQ(decomposition({10}, {4}).cuts(0), (std::vector<index_t>{0, 3, 6, 8, 10}));
  EXPECT_EQ(decomposition::of_parts({{4, 1}, {2}}).cuts(0), (std::vector<index_t>{0, 4, 5}));
  EXPECT_EQ(decomposition::of_parts({{4, 1}, {2}}).extents(), (std::vector<index_t>{5, 2}));
}

TEST(Decomposition, KnowsNeighboursAndLines) {
  const decomposition g({6, 6, 6}, {2, 3, 2});
  EXPECT_EQ(g.rank_of({1, 2, 0}), 10);
  EXPECT_EQ(g.neighbour(10, 1, 1, false), std::nullopt);
  EXPECT_EQ(g.neighbour(10, 1, 1, true), g.rank_of({1, 0, 0}));
  EXPECT_EQ(g.neighbour(10, 0, -1, false), g.rank_of({0, 2, 0}));
  EXPECT_EQ(g.neighbour(10, 1, -4, true), g.rank_of({1, 1, 0}));
  EXPECT_EQ(g.line(10, 1), (std::vector<int>{6, 8, 10}));
}

TEST(Strategies, HaveNames) {
  for (const strategy s : {strategy::automatic, strategy::gather, strategy::allgather,
                           strategy::pcr, strategy::all_to_all, strategy::nearest})
    EXPECT_EQ(tridia::distributed::parse_strategy(name(s)), s);
  EXPECT_EQ(name(static_cast<strategy>(6)), "invalid");
  EXPECT_EQ(tridia::distributed::parse_strategy("mattor"), std::nullopt);
}

/// A choice depends on the costs: even shares win if there is much to send, few rounds if there is
/// little, and neighbours alone if they are allowed.
TEST(Strategies, AreChosenByWhatTheyCost) {
  using tridia::distributed::choose_strategy;
  const tridia::distributed::interface_size size{6, 3, 8};
  const auto choice = [&](int ranks, double lines,
                          const tridia::distributed::plan_options& o = {}) {
    return choose_strategy(o, tridia::pivoting::none, ranks, lines, size,
                           tridia::distributed::cluster_of_cpus)
        .strategy;
  };
  EXPECT_EQ(choice(8, 1e6), strategy::all_to_all);
  EXPECT_EQ(choice(2, 1), strategy::allgather);
  EXPECT_EQ(choice(1024, 1), strategy::pcr);
  EXPECT_EQ(choice(8, 1e6, {.tolerance = 1e-12, .neglected_coupling = 1e-13}), strategy::nearest);
  EXPECT_EQ(choice(8, 1e6, {.tolerance = 1e-14, .neglected_coupling = 1e-13}),
            strategy::all_to_all);
}

/// Many rows of a line, few ranks, and few lines speak for it.
TEST(Strategies, OnePassPaysWhereReadingTwiceCostsMore) {
  const auto pays = [](int ranks, double lines, double rows) {
    return tridia::distributed::one_pass_pays(strategy::all_to_all, ranks, lines, rows, {6, 3, 8},
                                              tridia::distributed::host_of_gpus);
  };
  EXPECT_TRUE(pays(2, 1e6, 256));
  EXPECT_FALSE(pays(8, 1e6, 64));
  EXPECT_TRUE(pays(8, 1e6, 1024));
  EXPECT_TRUE(pays(8, 10, 64));
}

/// Implements an execution space like that of distributed/cpu/host_execution_space.hpp, for one
/// thread.
struct in_turn {
  static index_t run(index_t elements) { return elements; }
  template <class F>
  void for_each(index_t count, index_t, const F& f) const {
    for (index_t i = 0; i < count; ++i) f(i, index_t{0});
  }
};

TEST(Box, IsPackedInCOrderWhateverItsStrides) {
  std::vector<double> array(5 * 4 * 3), back(array.size(), -1), packed(2 * 3 * 2);
  std::iota(array.begin(), array.end(), 0);
  const tridia::distributed::box b{{2, 3, 2}, {12, -3, 2}, 9};
  const in_turn here;
  copy_box(here, packing(b, 8, array.data(), packed.data()), 8);
  EXPECT_EQ(packed, (std::vector<double>{9, 11, 6, 8, 3, 5, 21, 23, 18, 20, 15, 17}));
  copy_box(here, unpacking(b, 8, packed.data(), back.data()), 8);
  for (std::size_t k = 0; k < array.size(); ++k) {
    const bool in = std::find(packed.begin(), packed.end(), array[k]) != packed.end();
    EXPECT_EQ(back[k], in ? array[k] : -1);
  }
}

TEST(StatusExchange, NameTheFirstRow) {
  using tridia::distributed::stronger;
  for (const auto& [a, b, expected] : std::vector<std::array<index_t, 3>>{
           {0, 0, 0}, {0, -3, -3}, {0, 4, 4}, {-3, -8, -3}, {5, 2, 2}, {5, -9, -9}}) {
    EXPECT_EQ(stronger(a, b), expected);
    EXPECT_EQ(stronger(b, a), expected);
  }
}

TEST(Decay, SaysWhatIsNeglected) {
  using tridia::distributed::neglected;
  EXPECT_EQ(neglected({0, 0, 0.5, 0.5}), 0);
  EXPECT_DOUBLE_EQ(neglected({1e-8, 2e-8, 0.25, 0.5}), (2e-8 + 0.5e-8) / 0.875);
  EXPECT_TRUE(std::isinf(neglected({0, 0, 1, 1})));
  EXPECT_TRUE(std::isinf(neglected({0, 0, NAN, 0.5})));
}

}  // namespace
}  // namespace tridia_test
