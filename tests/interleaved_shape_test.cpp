// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests check the shapes of blocks of the GPU where neighbours in memory are other systems.
// They are chosen on the host, and so tested without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "solver/cuda/partition/interleaved.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::cuda::interleaved_shape;
using tridia::cuda::plan_interleaved;
using tridia::gpu::device_limits;

constexpr device_limits kHopper{227 << 10, true, 16}, kSmallClusters{99 << 10, true},
    kAmpere{99 << 10, false};

tridia::problem interleaved(tridia::value_type type, index_t n, index_t batch) {
  return {.type = type, .extents = {n, batch}, .axis = 0};
}

void expect_sound(const interleaved_shape& s, const device_limits& limits, int size) {
  EXPECT_LE(s.shared_bytes, limits.shared_bytes);
  EXPECT_TRUE(limits.clusters || (s.blocks == 1 && s.neighbours == 1 && !s.boxes));
  EXPECT_TRUE(s.blocks == 1 || s.neighbours == 1);
  EXPECT_LE(s.blocks, limits.cluster_blocks);
  EXPECT_EQ(s.chunk_rows % 2, 1);
  EXPECT_GE(s.chunk_rows, std::min<index_t>(s.rows, 3));
  EXPECT_GE(s.threads(), 32);
  EXPECT_LE(s.threads(), 512);
  EXPECT_EQ(s.systems, 1 << s.log_systems);
  EXPECT_EQ(s.groups, 1 << s.log_groups);
  // Every row is in one block, in one chunk, and every block has some.
  EXPECT_GE(s.blocks * s.block_rows, s.rows);
  EXPECT_LT((s.blocks - 1) * s.block_rows, s.rows);
  EXPECT_GE((s.chunk_rows * s.groups) << s.log_in_group, s.block_rows);
  // A group is one chunk, or all chunks that a warp holds; lanes hold an equation of each group and
  // of each block.
  EXPECT_LE(s.systems << s.log_in_group, std::max(s.systems, 32));
  EXPECT_TRUE(s.log_in_group == 0 || s.log_groups == 0 || s.systems << s.log_in_group == 32);
  EXPECT_GE(s.exchange_lanes(), std::max(s.groups, s.blocks));
  EXPECT_LE(s.exchange_lanes(), 32);
  // Rounds only where a system is one chunk.
  EXPECT_TRUE(s.rounds() == 1 || (s.groups == 1 && s.log_in_group == 0 && s.blocks == 1));
  EXPECT_LE(s.systems * s.exchange_lanes(), s.threads() * s.rounds());
  // The TMA requires this.
  EXPECT_EQ(s.block_rows % s.box_rows, 0);
  EXPECT_LE(s.box_rows, 256);
  EXPECT_TRUE(s.box_rows == s.block_rows || s.box_rows * s.systems * size % 128 == 0);
  EXPECT_EQ(s.array_pitch * size % 128, 0);
  EXPECT_GE(s.array_pitch, s.block_rows * s.systems);
}

TEST(InterleavedShape, SoundForEveryLength) {
  int planned = 0;
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64,
                          tridia::value_type::c128})
    for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial})
      for (const index_t batch : {1, 7, 1000, 1 << 20})
        for (index_t n = 2; n <= 40000; n = n < 70 ? n + 1 : n * 9 / 8) {
          tridia::problem p = interleaved(type, n, batch);
          p.pivoting = pivoting;
          const auto t = task_of(p);
          for (const device_limits& limits : {kHopper, kSmallClusters, kAmpere}) {
            const auto s = plan_interleaved(t, {}, limits);
            if (!s) continue;
            ++planned;
            SCOPED_TRACE(testing::Message() << "n " << n << " batch " << batch << " clusters of "
                                            << (limits.clusters ? limits.cluster_blocks : 1) << " "
                                            << tridia::name(type));
            expect_sound(*s, limits, static_cast<int>(tridia::size_of(type)));
          }
        }
  EXPECT_GT(planned, 2000);
}

TEST(InterleavedShape, HopperHoldsLongSystems) {
  EXPECT_TRUE(
      plan_interleaved(task_of(interleaved(tridia::value_type::f64, 8192, 4096)), {}, kHopper));
  EXPECT_TRUE(
      plan_interleaved(task_of(interleaved(tridia::value_type::f32, 8192, 4096)), {}, kHopper));
}

// The expected shapes are as measured: long accesses come first, as long as few blocks wait for
// each other.
TEST(InterleavedShape, BlocksShareRowsForLongAccesses) {
  struct {
    index_t n;
    int bytes, blocks;
  } constexpr kBest[] = {{128, 128, 1}, {256, 128, 2}, {300, 128, 3}, {512, 128, 4},
                         {1024, 64, 4}, {2048, 64, 8}, {4096, 32, 8}, {8192, 32, 16}};
  for (const auto& best : kBest)
    for (const auto type : {tridia::value_type::f32, tridia::value_type::f64}) {
      SCOPED_TRACE(testing::Message() << "n " << best.n << " " << tridia::name(type));
      tridia::problem p = interleaved(type, best.n, 1 << 17);
      p.pivoting = tridia::pivoting::none;
      const auto s = plan_interleaved(task_of(p), {}, kHopper);
      ASSERT_TRUE(s);
      EXPECT_EQ(s->systems * static_cast<int>(tridia::size_of(type)), best.bytes);
      EXPECT_EQ(s->blocks, best.blocks);
      // Three blocks fit a multiprocessor, with a kilobyte each for the system.
      EXPECT_LE(3 * (s->shared_bytes + 1024), std::size_t{228} << 10);
    }
  // Rows of a middle axis lie near each other.
  const auto middle = plan_interleaved(
      task_of({.extents = {64, 256, 512}, .axis = 1, .pivoting = tridia::pivoting::none}), {},
      kHopper);
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->systems, 8);
  EXPECT_EQ(middle->blocks, 1);
}

TEST(InterleavedShape, ShortSystemsFillLongAccesses) {
  for (const index_t n : {8, 16, 64}) {
    const auto s =
        plan_interleaved(task_of(interleaved(tridia::value_type::f64, n, 1 << 20)), {}, kHopper);
    ASSERT_TRUE(s);
    EXPECT_GE(s->systems * 8, 256) << n;
  }
}

// If systems are so short that a thread with one of them would have less than 256 bytes, threads
// take several, one after another, where values have 4 bytes and there are enough systems.
TEST(InterleavedShape, ShortestSystemsTakeRounds) {
  constexpr struct {
    index_t n;
    int systems, rounds;
  } kRounds[] = {{2, 256, 8}, {3, 256, 8}, {4, 256, 4},  {5, 256, 4}, {7, 256, 4},
                 {8, 128, 2}, {9, 128, 2}, {15, 128, 2}, {16, 64, 1}, {33, 64, 1}};
  for (const auto& [n, systems, rounds] : kRounds)
    for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial})
      for (const index_t batch : {1 << 20, (1 << 20) + 1}) {
        SCOPED_TRACE(testing::Message() << "n " << n << " batch " << batch);
        tridia::problem p = interleaved(tridia::value_type::f32, n, batch);
        p.pivoting = pivoting;
        for (const device_limits& limits : {kHopper, kAmpere}) {
          const auto s = plan_interleaved(task_of(p), {}, limits);
          ASSERT_TRUE(s);
          expect_sound(*s, limits, 4);
          EXPECT_EQ(s->systems, systems);
          EXPECT_EQ(s->rounds(), rounds);
          EXPECT_EQ(s->threads() * s->rounds(), rounds > 1 ? systems : s->threads());
        }
        for (const auto type : {tridia::value_type::f64, tridia::value_type::c64}) {
          p.type = type;
          EXPECT_EQ(plan_interleaved(task_of(p), {}, kHopper)->rounds(), 1);
        }
      }
  // If there are few systems, having many threads comes first.
  for (const index_t n : {2, 5}) {
    const auto few =
        plan_interleaved(task_of(interleaved(tridia::value_type::f32, n, 1000)), {}, kHopper);
    ASSERT_TRUE(few);
    EXPECT_EQ(few->rounds(), 1);
  }
}

TEST(InterleavedShape, FewNeighboursTakeFewLanes) {
  for (const index_t n : {64, 512}) {
    const auto s = plan_interleaved(task_of({.extents = {100000, n, 3}, .axis = 1}), {}, kHopper);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->systems, 4);
    EXPECT_EQ(s->axis_tiles, 1);
  }
}

// Few systems wait for no other block, but read short rows.
TEST(InterleavedShape, FewSystemsAreNotShared) {
  constexpr device_limits kH200{
      .shared_bytes = 227 << 10, .clusters = true, .multiprocessors = 132};
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64})
    for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial}) {
      const index_t in_sector = 32 / static_cast<index_t>(tridia::size_of(type));
      const auto shape_of = [&](index_t batch) {
        tridia::problem p = interleaved(type, 1000, batch);
        p.pivoting = pivoting;
        return plan_interleaved(task_of(p), {}, kH200);
      };
      for (const index_t batch : {66 * in_sector, 132 * in_sector, 264 * in_sector}) {
        const auto few = shape_of(batch);
        ASSERT_TRUE(few);
        EXPECT_EQ(few->blocks, 1);
        EXPECT_EQ(few->systems, in_sector);
      }
      for (const index_t batch : {32 * in_sector, 1000 * in_sector}) {
        const auto others = shape_of(batch);
        ASSERT_TRUE(others);
        EXPECT_GT(others->blocks, 1);
      }
      // The last tile of a plane counts as the others do.
      tridia::problem planes{.type = type, .extents = {16, 1000, 16 * in_sector + 1}, .axis = 1};
      planes.pivoting = pivoting;
      EXPECT_GT(plan_interleaved(task_of(planes), {}, kH200)->blocks, 1);
    }
}

// Copies of single elements wait in the first-level cache, to which two blocks of a multiprocessor
// leave some of its memory, and three do not.
TEST(InterleavedShape, RowsThatBeginAnywhereLeaveRoomForTheCache) {
  constexpr std::size_t kMultiprocessor = std::size_t{228} << 10, kOfSystem = 1024;
  for (const auto type :
       {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64})
    for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial})
      for (const index_t n : {129, 177, 225, 257, 289, 301, 311}) {
        SCOPED_TRACE(testing::Message() << "n " << n << " " << tridia::name(type));
        tridia::problem p = interleaved(type, n, n * n);
        p.pivoting = pivoting;
        const auto s = plan_interleaved(task_of(p), {}, kHopper);
        ASSERT_TRUE(s);
        const int size = static_cast<int>(tridia::size_of(type));
        expect_sound(*s, kHopper, size);
        EXPECT_EQ(s->blocks, 1);
        EXPECT_EQ(s->systems * size, n < 200 ? 128 : 64);
        EXPECT_GT(3 * (s->shared_bytes + kOfSystem), kMultiprocessor);
        const std::size_t pair = 2 * (s->shared_bytes + kOfSystem);
        EXPECT_LE(pair,
                  n == 129 || n == 225 || n == 257 ? std::size_t{164} << 10 : kMultiprocessor);
        EXPECT_EQ(plan_interleaved(task_of(p), {.systems = 4}, kHopper)->systems, 4);
        EXPECT_LE(plan_interleaved(task_of(p), {}, kAmpere)->shared_bytes, kAmpere.shared_bytes);
      }
  EXPECT_LT(
      plan_interleaved(task_of(interleaved(tridia::value_type::f64, 37, 37 * 37 * 37)), {}, kHopper)
          ->shared_bytes,
      kMultiprocessor / 4);
}

struct shape_of_rows {
  index_t rows;
  int blocks, row_bytes;
  bool padded = true;
};

/// Expects shapes that leave two blocks room on a multiprocessor; and the cache, if they are
/// padded.
void expect_shared(tridia::value_type type, tridia::pivoting pivoting,
                   const std::vector<shape_of_rows>& expected) {
  constexpr std::size_t kMultiprocessor = std::size_t{228} << 10, kOfSystem = 1024;
  for (const shape_of_rows& e : expected) {
    SCOPED_TRACE(testing::Message() << "rows " << e.rows << " " << tridia::name(type));
    tridia::problem p = interleaved(type, e.rows, e.rows * e.rows);
    p.pivoting = pivoting;
    const auto s = plan_interleaved(task_of(p), {}, kHopper);
    ASSERT_TRUE(s);
    const int size = static_cast<int>(tridia::size_of(type));
    expect_sound(*s, kHopper, size);
    EXPECT_EQ(s->blocks, e.blocks);
    EXPECT_EQ(s->systems * size, e.row_bytes);
    EXPECT_LE(2 * (s->shared_bytes + kOfSystem), kMultiprocessor);
    EXPECT_EQ(3 * (s->shared_bytes + kOfSystem) > kMultiprocessor, e.padded);
    EXPECT_FALSE(waits_long(*s, task_of(p)));
  }
}

// Rows that begin anywhere are shared by as many blocks as leave each of two on a multiprocessor
// its tile, and the first-level cache some of its memory.
TEST(InterleavedShape, LongLinesThatBeginAnywhereAreShared) {
  const std::vector<shape_of_rows> plain{{193, 2, 128, false}, {353, 1, 64},  {385, 2, 64, false},
                                         {513, 3, 128},        {641, 2, 64},  {833, 5, 128},
                                         {1001, 3, 64},        {1281, 4, 64}, {2049, 6, 64}};
  for (const auto type :
       {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64})
    expect_shared(type, tridia::pivoting::none, plain);
  expect_shared(tridia::value_type::f32, tridia::pivoting::partial,
                {{193, 2, 128, false}, {353, 1, 64}, {513, 2, 64}, {1001, 3, 64}, {2049, 6, 64}});
  expect_shared(tridia::value_type::f64, tridia::pivoting::partial,
                {{193, 2, 128, false}, {353, 1, 64}, {1001, 3, 64}, {2049, 6, 64}});
  expect_shared(tridia::value_type::c64, tridia::pivoting::partial,
                {{193, 2, 128, false}, {353, 1, 64}, {385, 2, 64, false}});
  // What has to be solved once more is left to one block where it fits.
  for (const index_t n : {385, 513, 833}) {
    tridia::problem p = interleaved(tridia::value_type::f64, n, n * n);
    p.pivoting = tridia::pivoting::partial;
    EXPECT_EQ(plan_interleaved(task_of(p), {}, kHopper)->blocks, 1) << n;
  }
  // Longer ones are better solved in segments.
  const auto longer = task_of(interleaved(tridia::value_type::f64, 4097, 4097));
  EXPECT_TRUE(waits_long(*plan_interleaved(longer, {}, kHopper), longer));
  // A device with less shared memory, or with smaller clusters, has shapes that fit it.
  for (const index_t n : {193, 337, 601, 1001, 2049})
    for (const device_limits& limits :
         {device_limits{163 << 10, false}, kSmallClusters, device_limits{227 << 10, true, 8}}) {
      const auto s =
          plan_interleaved(task_of(interleaved(tridia::value_type::f64, n, n * n)), {}, limits);
      if (s) expect_sound(*s, limits, 8);
    }
  // Rows of three neighbours are short anyway.
  const auto few = task_of({.extents = {30000, 601, 3}, .axis = 1});
  EXPECT_FALSE(waits_long(*plan_interleaved(few, {}, kHopper), few));
  // Blocks of few boxes that the TMA moves do wait.
  interleaved_shape waiting{};
  waiting.blocks = 2;
  waiting.shared_bytes = std::size_t{80} << 10;
  EXPECT_TRUE(waits_long(waiting, task_of(interleaved(tridia::value_type::f64, 512, 512 * 512))));
}

TEST(InterleavedShape, WhatDoesNotFitIsLeft) {
  tridia::problem shared = interleaved(tridia::value_type::f64, 64, 1000);
  shared.coefficients = tridia::coefficients::shared;
  EXPECT_FALSE(plan_interleaved(task_of(shared), {}, kHopper));
  tridia::problem periodic = interleaved(tridia::value_type::f64, 2, 1000);
  periodic.boundary = tridia::boundary::periodic;
  EXPECT_FALSE(plan_interleaved(task_of(periodic), {}, kHopper));
  EXPECT_FALSE(
      plan_interleaved(task_of(interleaved(tridia::value_type::f64, 1, 1000)), {}, kHopper));
  // Places on the fastest axis, and the number of tiles, are ints.
  for (const index_t batch : {index_t{1} << 31, index_t{1} << 33})
    EXPECT_FALSE(
        plan_interleaved(task_of(interleaved(tridia::value_type::f32, 8, batch)), {}, kHopper));
  EXPECT_FALSE(
      plan_interleaved(task_of({.extents = {index_t{1} << 32, 8, 64}, .axis = 1}), {}, kHopper));
}

TEST(TileOrder, StartsEveryTileOnceAndSidesTogether) {
  for (const int in_unit : {1, 2, 4})
    for (const int sides : {1, 2, 3, 16})
      for (int of_side = 1; of_side < 200; of_side += 7) {
        const int tiles = of_side * sides;
        const tridia::gpu::tile_order order(tiles, sides, in_unit);
        std::vector<int> taken(static_cast<std::size_t>(tiles));
        for (int start = 0; start < tiles; ++start) {
          const int tile = order.tile(start);
          ASSERT_TRUE(tile >= 0 && tile < tiles);
          ++taken[static_cast<std::size_t>(tile)];
        }
        EXPECT_EQ(taken, std::vector<int>(taken.size(), 1));
        if (in_unit > 1 || tiles % sides != 0) continue;
        for (int start = 0; start < tiles; ++start) {
          EXPECT_EQ(order.tile(start), start % sides * of_side + start / sides);
        }
      }
}

TEST(TileSchedule, TakeEveryTileOnce) {
  for (const int wave : {1, 2, 7, 92})
    for (int tiles = 1; tiles < 900; tiles += 13) {
      tridia::gpu::tile_schedule t{tiles};
      t.take(4, wave);
      EXPECT_EQ(t.per_cluster, tiles >= 4 * wave ? 4 : 1);
      std::vector<int> taken(static_cast<std::size_t>(tiles));
      for (int cluster = 0; cluster < t.clusters(); ++cluster)
        for (tridia::gpu::tile_iterator<true> w(t, static_cast<unsigned>(cluster));; w.advance()) {
          ASSERT_LT(w.number(), static_cast<unsigned>(tiles));
          ++taken[w.number()];
          if (!w.has_next()) break;
        }
      EXPECT_EQ(taken, std::vector<int>(taken.size(), 1)) << tiles << " tiles, wave " << wave;
    }
}

}  // namespace
}  // namespace tridia_test
