// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests check the shapes of blocks of the GPU, which are chosen on the host, and so tested
// without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/chunk.hpp"
#include "solver/cuda/partition/boxes.hpp"
#include "solver/cuda/partition/onchip.hpp"
#include "solver/cuda/tuned.hpp"
#include "support/random.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::cuda::copy_mode;
using tridia::cuda::onchip_shape;
using tridia::cuda::plan_onchip;
using tridia::gpu::device_limits;

constexpr device_limits kHopper{227 << 10, true}, kAmpere{99 << 10, false};

std::vector<tridia::problem> problems() {
  std::vector<tridia::problem> all;
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64,
                          tridia::value_type::c128})
    for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial})
      for (index_t n = 2; n <= 40000; n = n < 70 ? n + 1 : n * 9 / 8)
        for (const bool concatenated : {true, false}) {
          tridia::problem p{.type = type, .extents = {1000, n}, .pivoting = pivoting};
          if (!concatenated) p.boundary = tridia::boundary::periodic;
          all.push_back(p);
        }
  return all;
}

void expect_sound(const onchip_shape& s, const device_limits& limits) {
  EXPECT_LE(s.shared_bytes, limits.shared_bytes);
  EXPECT_TRUE(limits.clusters || s.blocks == 1);
  EXPECT_LE(s.blocks, 8);
  EXPECT_EQ(s.chunk_rows % 2, 1);
  EXPECT_LE(s.threads, 512);
  EXPECT_EQ(s.threads % 32, 0);
  // Every row is in one block, in one chunk, and every block has some.
  EXPECT_EQ(s.concatenated ? s.blocks * s.systems : 1, 1);
  EXPECT_GE(s.blocks * s.block_rows, s.rows);
  EXPECT_LT((s.blocks - 1) * s.block_rows, s.rows);
  EXPECT_GE(s.chunks * s.chunk_rows, s.block_rows);
  // Pieces of different sizes are cut when their size is known.
  if (s.chunks < s.threads) {
    EXPECT_LT((s.chunks - 1) * s.chunk_rows, s.block_rows);
  }
  // The lanes of a system hold an equation of each block that shares it.
  EXPECT_LE(s.blocks, s.chunks);
  EXPECT_TRUE(s.systems_a_warp == 1 || s.warps_a_system == 1);
  EXPECT_LE(s.systems, s.threads / 32 / s.warps_a_system * s.systems_a_warp);
  EXPECT_LE(s.systems_a_warp * s.chunks, s.warps_a_system == 1 ? 32 : s.chunks);
  EXPECT_GE(s.pitch, s.block_rows);
  EXPECT_GE(s.array_pitch, s.systems * s.pitch);
  if (s.input == copy_mode::contiguous) {
    EXPECT_EQ(s.pitch, s.rows);
    EXPECT_EQ(s.blocks, 1);
  }
  // The quotient that for_each_element works out is right for every element of a tile.
  for (int i = 0; s.dense_input && i < s.systems * s.rows; ++i)
    ASSERT_EQ(static_cast<int>((std::uint64_t{s.per_rows} * static_cast<unsigned>(i)) >> 32),
              i / s.rows);
}

TEST(OnchipShape, IsSoundForEveryProblem) {
  for (const tridia::problem& p : problems())
    for (const device_limits& limits : {kHopper, kAmpere}) {
      SCOPED_TRACE(std::string(name(p.type)) + " extents " + std::to_string(p.extents[0]) + " x " +
                   std::to_string(p.extents[1]));
      if (const auto s = plan_onchip(task_of(p), {}, limits)) expect_sound(*s, limits);
    }
}

tridia::cuda::onchip_tuning tuning_of(const std::vector<int>& values, bool near) {
  return {.chunk_rows = values[0], .warps = values[1], .blocks = values[2], .near = near};
}

TEST(OnchipShape, IsSoundForEveryTuning) {
  const tridia::tunable_kernel& kernel = tridia::tunable_kernels()[0];
  ASSERT_EQ(kernel.name, "onchip");
  std::vector<std::vector<int>> values{{}};
  for (const auto& parameter : kernel.parameters) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& v : values) {
      longer.push_back(v);
      longer.back().push_back(0);
      for (const int value : parameter.values) {
        longer.push_back(v);
        longer.back().push_back(value);
      }
    }
    values = longer;
  }
  for (const auto type : {tridia::value_type::f32, tridia::value_type::c128})
    for (const index_t n : {2, 8, 33, 100, 127, 512, 1000, 4096, 16384})
      for (const bool contiguous : {true, false}) {
        tridia::problem p{.type = type, .extents = {1000, n}};
        if (!contiguous) p.extents = {n, 1000}, p.axis = 0;
        const tridia::solver::task t = task_of(p);
        for (const std::vector<int>& v : values)
          for (const bool near : {true, false}) {
            SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(n) + " rows, " +
                         std::to_string(v[0]) + " " + std::to_string(v[1]) + " " +
                         std::to_string(v[2]));
            if (const auto s = plan_onchip(t, tuning_of(v, near), kHopper))
              expect_sound(*s, kHopper);
          }
      }
}

TEST(OnchipShape, ShippedTuningFits) {
  for (const tridia::tuning_entry& e : tridia::cuda::shipped_tuning().entries()) {
    if (e.kernel != "onchip" || e.compute_capability != 90) continue;
    SCOPED_TRACE(std::to_string(e.rows) + " rows");
    tridia::problem p{.type = e.type, .extents = {100000, e.rows}, .pivoting = e.pivoting};
    if (e.interleaved) p.extents = {e.rows, 100000}, p.axis = 0;
    const bool by_rule = e.values == std::vector<int>(3, 0);
    EXPECT_TRUE(by_rule || plan_onchip(task_of(p), tuning_of(e.values, false), kHopper));
  }
}

TEST(OnchipShape, TakesShippedTuningForManySystemsOnly) {
  const auto tuned_for = [](index_t batch, std::shared_ptr<const tridia::tuning_table> own) {
    tridia::solver::task t = task_of({.extents = {batch, 512}, .pivoting = tridia::pivoting::none});
    t.options.tuning = std::move(own);
    const tridia::tuning_entry* e = tridia::cuda::tuned(t, "onchip", 90, false);
    return e == nullptr ? index_t{0} : e->rows;
  };
  EXPECT_EQ(tuned_for(100000, nullptr), 512);
  EXPECT_EQ(tuned_for(100, nullptr), 0);
  const auto own = std::make_shared<tridia::tuning_table>(
      tridia::tuning_table::parse("tridia-tuning 2\n9.0 onchip f64 none contiguous 600\n"));
  EXPECT_EQ(tuned_for(100000, own), 600);
  EXPECT_EQ(tuned_for(100, own), 600);
}

TEST(OnchipShape, FitsWhatTheChipHolds) {
  for (const index_t n : {2, 33, 512, 2048, 16384})
    EXPECT_TRUE(plan_onchip(task_of({.extents = {100, n}}), {}, kHopper)) << n;
  EXPECT_FALSE(plan_onchip(task_of({.extents = {1024, 100}, .axis = 0}), {}, kHopper));
  EXPECT_FALSE(plan_onchip(task_of({.extents = {100, 16384}}), {}, kAmpere));
  EXPECT_FALSE(plan_onchip(task_of({.extents = {1, 1 << 20}}), {}, kHopper));
}

TEST(OnchipShape, MovesDenseSystemsInBulk) {
  constexpr auto periodic = tridia::boundary::periodic;
  for (const index_t n : {33, 512}) {
    const auto dense =
        plan_onchip(task_of({.extents = {1000, n}, .boundary = periodic}), {}, kHopper);
    EXPECT_EQ(dense->input, copy_mode::contiguous);
  }
  const auto padded =
      plan_onchip(task_of({.extents = {1000, 512}, .rhs_strides = {514, 1}, .x_strides = {514, 1}}),
                  {}, kHopper);
  EXPECT_EQ(padded->input, copy_mode::lines);
  const auto misaligned =
      plan_onchip(task_of({.extents = {1000, 512}, .rhs_strides = {513, 1}, .x_strides = {513, 1}}),
                  {}, kHopper);
  EXPECT_EQ(misaligned->input, copy_mode::elements);
}

TEST(OnchipShape, MovesLongLinesThatBeginAnywhereInPieces) {
  const auto misaligned = plan_onchip(
      task_of({.extents = {1000, 2048}, .rhs_strides = {2049, 1}, .x_strides = {2049, 1}}), {},
      kHopper);
  EXPECT_EQ(misaligned->input, copy_mode::pieces);
  const auto transposed = plan_onchip(task_of({.extents = {1000, 2048},
                                               .boundary = tridia::boundary::periodic,
                                               .operation = tridia::operation::transpose}),
                                      {}, kHopper);
  EXPECT_EQ(transposed->input, copy_mode::pieces);
  const auto strided = plan_onchip(
      task_of({.extents = {1000, 2048}, .rhs_strides = {4096, 2}, .x_strides = {2048, 1}}), {},
      kHopper);
  EXPECT_EQ(strided->input, copy_mode::elements);
  const auto before_tma = plan_onchip(
      task_of({.extents = {1000, 2048}, .rhs_strides = {2049, 1}, .x_strides = {2049, 1}}), {},
      kAmpere);
  EXPECT_EQ(before_tma->input, copy_mode::elements);
}

// Right-hand sides of transposed matrices are solved together, or one after another, by about where
// this begins (solver/cuda/broadcast.cpp).
TEST(OnchipShape, MovesShiftedLinesInPiecesOnceTheyTakeAWarp) {
  using tridia::pivoting, tridia::value_type;
  constexpr struct {
    value_type type;
    pivoting pivots;
    index_t first;  // bytes of a line
  } kCases[] = {{value_type::f32, pivoting::none, 2768},
                {value_type::f32, pivoting::partial, 2768},
                {value_type::f64, pivoting::none, 2704},
                {value_type::f64, pivoting::partial, 5520}};
  for (const auto& [type, pivots, first] : kCases)
    for (index_t bytes = 512; bytes < 8192; bytes += 16) {
      const auto size = static_cast<index_t>(size_of(type));
      const auto s = plan_onchip(task_of({.type = type,
                                          .extents = {100'000, bytes / size},
                                          .boundary = tridia::boundary::periodic,
                                          .pivoting = pivots,
                                          .operation = tridia::operation::transpose}),
                                 {}, kHopper);
      ASSERT_TRUE(s);
      EXPECT_EQ(s->input == copy_mode::pieces, bytes >= first) << bytes << tridia::name(type);
    }
}

TEST(OnchipShape, LeavesRoomForLinesThatBeginAnywhere) {
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64})
    for (const index_t n : {600, 1001, 2047, 5003}) {
      const auto s = plan_onchip(task_of({.type = type,
                                          .extents = {100, n},
                                          .rhs_strides = {n + 1, 1},
                                          .x_strides = {n + 1, 1}}),
                                 {}, kHopper);
      if (!s || s->concatenated || s->input != copy_mode::pieces) continue;
      const auto granule = static_cast<int>(16 / size_of(type));
      EXPECT_EQ(s->pitch % granule, 0);
      EXPECT_GE(s->pitch, s->block_rows + granule - 1);
    }
}

TEST(OnchipShape, JoinsShortSystemsThatFollowEachOther) {
  const auto concatenated = [](const tridia::problem& p) {
    const auto s = plan_onchip(task_of(p), {}, kHopper);
    return s && s->concatenated;
  };
  for (const index_t n : {1, 2, 8, 100, 1000}) {
    EXPECT_TRUE(concatenated({.extents = {1000, n}})) << n;
    EXPECT_TRUE(concatenated({.extents = {1000, n}, .operation = tridia::operation::transpose}))
        << n;
  }
  // Systems are not concatenated if one is too long, or if a cluster uses the shared memory better.
  EXPECT_TRUE(concatenated({.extents = {1000, 7000}}));
  EXPECT_FALSE(concatenated({.extents = {1000, 4096}}));
  EXPECT_FALSE(concatenated({.extents = {1000, 10000}}));
  EXPECT_FALSE(concatenated({.extents = {8, 1000}, .axis = 0}));
  EXPECT_FALSE(concatenated({.extents = {1000, 8}, .boundary = tridia::boundary::periodic}));
  for (const index_t n : {1, 2, 8})
    EXPECT_FALSE(concatenated({.extents = {1000, n}, .short_off_diagonals = true})) << n;
  EXPECT_FALSE(concatenated({.extents = {1000, 8}, .x_strides = {9, 1}}));
  EXPECT_FALSE(concatenated({.extents = {1000, 8}, .right_hand_sides = 2}));
  using tridia::ragged_layout;
  const std::vector<index_t> offsets{0, 4, 7};
  EXPECT_TRUE(concatenated({.extents = {7}, .offsets = offsets}));
  EXPECT_FALSE(
      concatenated({.extents = {7}, .offsets = offsets, .ragged_layout = ragged_layout::packed}));
  EXPECT_FALSE(concatenated(
      {.extents = {2, 4}, .offsets = offsets, .ragged_layout = ragged_layout::padded}));
}

/// Returns a ragged problem with these lengths; the offsets are their sums.
tridia::problem ragged_problem(const std::vector<index_t>& lengths) {
  tridia::problem p{.extents = {0}, .offsets = {0}};
  for (const index_t n : lengths) p.offsets.push_back(p.offsets.back() + n);
  p.extents[0] = p.offsets.back();
  return p;
}

TEST(OnchipShape, CutsRaggedBatchesIntoPieces) {
  using tridia::cuda::group_start;
  rng random = random_for("CutsRaggedBatchesIntoPieces");
  for (const index_t longest : {1, 2, 3, 64, 300, 1024, 2500})
    for (const index_t systems : {1, 2, 100, 5000}) {
      std::vector<index_t> lengths;
      for (index_t k = 0; k < systems; ++k) lengths.push_back(draw(random, 0, longest));
      lengths[static_cast<std::size_t>(systems / 2)] = longest;
      const tridia::problem p = ragged_problem(lengths);
      const auto s = plan_onchip(task_of(p), {}, kHopper);
      ASSERT_TRUE(s && s->concatenated) << longest;
      expect_sound(*s, kHopper);
      const std::vector<group_start> group_starts = cut_groups(p.offsets, *s);
      ASSERT_EQ(group_starts.front().system, 0);
      ASSERT_EQ(group_starts.back().system, systems);
      for (std::size_t k = 0; k < group_starts.size(); ++k) {
        ASSERT_EQ(group_starts[k].row, p.offsets[static_cast<std::size_t>(group_starts[k].system)]);
        if (k == 0) continue;
        const index_t count = group_starts[k].system - group_starts[k - 1].system;
        const index_t rows = group_starts[k].row - group_starts[k - 1].row;
        ASSERT_GT(count, 0);
        ASSERT_LE(count, s->concatenated_systems);
        ASSERT_LE(rows, s->rows);
        // The group is as full as possible.
        if (group_starts[k].system == systems || count == s->concatenated_systems) continue;
        ASSERT_GT(rows + lengths[static_cast<std::size_t>(group_starts[k].system)], s->rows);
      }
    }
}

TEST(OnchipShape, LeavesRaggedBatchesThatNoBlockHolds) {
  EXPECT_FALSE(plan_onchip(task_of(ragged_problem({5, 100000, 3})), {}, kHopper));
  EXPECT_FALSE(plan_onchip(task_of(ragged_problem({0, 0})), {}, kHopper));
  tridia::problem p = ragged_problem({5, 7});
  p.short_off_diagonals = true;
  EXPECT_FALSE(plan_onchip(task_of(p), {}, kHopper));
  p = ragged_problem({5, 7});
  p.x_strides = {2};
  EXPECT_FALSE(plan_onchip(task_of(p), {}, kHopper));
  p = ragged_problem({5, 7});
  p.boundary = tridia::boundary::periodic;
  EXPECT_FALSE(plan_onchip(task_of(p), {}, kHopper));
}

/// Gives a chunk of a piece of systems that are joined by zeros, `n` rows each.
struct joined_rows {
  const std::vector<double>& numbers;
  index_t n, first;

  [[nodiscard]] tridia::core::row<double> get(index_t k) const {
    const index_t row = first + k, place = row % n;
    const double* const at = &numbers[static_cast<std::size_t>(4 * row)];
    return {place == 0 ? 0 : at[0], 2.5 + at[1], place == n - 1 ? 0 : at[2]};
  }
  [[nodiscard]] double rhs(index_t k) const {
    return numbers[static_cast<std::size_t>(4 * (first + k) + 3)];
  }
};

/// Runs PCR on the chunks of a warp, stopped at `reach`, and returns what is left of their coupling
/// to each other.
double coupling_beyond(const std::vector<double>& numbers, index_t n, index_t first_chunk,
                       index_t count, index_t chunk_rows, index_t all_rows, index_t reach) {
  using chunk = tridia::core::chunk<double, tridia::pivoting::none>;
  const auto ignore = [](double) {};
  std::vector<chunk::equations> mine;
  for (index_t k = first_chunk; k < first_chunk + count; ++k) {
    joined_rows rows{numbers, n, k * chunk_rows};
    const index_t here = std::min(chunk_rows, all_rows - rows.first);
    mine.push_back(chunk::reduce<false>(here, rows, ignore));
  }
  const index_t inner = count - 1;
  std::vector<chunk::equation> rows;
  for (std::size_t k = 0; k + 1 < mine.size(); ++k) {
    rows.push_back(chunk::link(mine[k].last, mine[k + 1].first, ignore));
  }
  index_t d = 1;
  for (; d < std::min(inner, reach); d *= 2) {
    const std::vector<chunk::equation> old = rows;
    for (index_t k = 0; k < inner; ++k) {
      const bool left = k >= d, right = k + d < inner;
      const auto at = [&](index_t place) { return static_cast<std::size_t>(place); };
      rows[at(k)] = chunk::combine(old[at(k)], left, old[at(left ? k - d : k)], right,
                                   old[at(right ? k + d : k)], ignore);
    }
  }
  double left = 0;
  for (index_t k = 0; k < inner; ++k) {
    const chunk::equation& e = rows[static_cast<std::size_t>(k)];
    if (k >= d) left = std::max(left, std::abs(e.before));
    if (k + d < inner) left = std::max(left, std::abs(e.after));
  }
  return left;
}

// PCR among the chunks of joined systems ends where none of them reaches further. The zeros between
// systems leave no coupling at all beyond that, not even a small one.
TEST(OnchipShape, JoinedSystemsReachNoFurther) {
  rng random = random_for("JoinedSystemsReachNoFurther");
  std::vector<double> numbers(std::size_t{4} << 15);
  for (double& v : numbers) v = static_cast<double>(draw(random, -1000, 1000)) / 1000;
  int shortened = 0;
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64})
    for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial})
      for (index_t n = 1; n < 4000; n = n < 150 ? n + 1 : n * 17 / 16)
        for (const index_t batch : {100, 100'000}) {
          tridia::problem p{.type = type, .extents = {batch, n}, .pivoting = pivoting};
          const auto s = plan_onchip(task_of(p), {}, kHopper);
          if (!s || !s->concatenated) continue;
          SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(n) + " rows in chunks of " +
                       std::to_string(s->chunk_rows) + ", reach " + std::to_string(s->reach));
          // The last rows of chunks so far apart are of different systems, and no sooner.
          EXPECT_GE(s->reach * s->chunk_rows, n);
          EXPECT_LT((s->reach - 1) * s->chunk_rows, n);
          ASSERT_LE(s->rows, index_t{1} << 15);
          for (index_t first = 0; first < s->chunks; first += 32) {
            const index_t count = std::min<index_t>(32, s->chunks - first);
            if (s->reach < count - 1) ++shortened;
            EXPECT_EQ(coupling_beyond(numbers, n, first, count, s->chunk_rows, s->rows, s->reach),
                      0);
          }
        }
  EXPECT_GT(shortened, 500);
}

TEST(OnchipShape, OthersReachAllOfAWarp) {
  rng random = random_for("OthersReachAllOfAWarp");
  for (const index_t n : {2, 8, 100, 512}) {
    const auto alone = plan_onchip(
        task_of({.extents = {1000, n}, .boundary = tridia::boundary::periodic}), {}, kHopper);
    ASSERT_TRUE(alone && !alone->concatenated);
    EXPECT_EQ(alone->reach, 32);
    std::vector<index_t> lengths(100);
    for (index_t& length : lengths) length = draw(random, 0, n);
    const auto ragged = plan_onchip(task_of(ragged_problem(lengths)), {}, kHopper);
    ASSERT_TRUE(ragged && ragged->concatenated);
    EXPECT_EQ(ragged->reach, 32);
  }
}

tridia::problem padded_lines(tridia::value_type type, index_t n, index_t gap) {
  const std::vector<index_t> strides{n + gap, 1};
  return {.type = type,
          .extents = {1000, n},
          .dl_strides = strides,
          .d_strides = strides,
          .du_strides = strides,
          .rhs_strides = strides,
          .x_strides = strides};
}

// Lines of 256 bytes and more, but fewer than 512, that are whole and aligned are moved as boxes on
// cards that have them.
TEST(OnchipShape, ShortLinesAreMovedInBoxes) {
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64,
                          tridia::value_type::c128}) {
    const std::size_t size = tridia::size_of(type);
    const auto granule = static_cast<index_t>(16 / size);
    for (index_t n = 2; n * static_cast<index_t>(size) < 800; ++n)
      for (const index_t gap : {granule, 3 * granule, 2 * granule + 1}) {
        SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(n) + " rows, " +
                     std::to_string(gap) + " between them");
        const auto t = task_of(padded_lines(type, n, gap));
        const auto bytes = n * static_cast<index_t>(size);
        const bool whole = bytes % 16 == 0 && (n + gap) % granule == 0;
        const auto s = plan_onchip(t, {}, kHopper);
        ASSERT_TRUE(s);
        EXPECT_EQ(loads_boxes(t.geometry, *s, size), whole && bytes >= 256 && bytes < 512);
        const auto old = plan_onchip(t, {}, kAmpere);
        ASSERT_TRUE(old);
        EXPECT_FALSE(old->boxes);
      }
  }
  // More lines than an int counts are left to copies of 64-bit addresses.
  for (const index_t batch : {index_t{1} << 31, index_t{1} << 33}) {
    tridia::problem p = padded_lines(tridia::value_type::f32, 100, 4);
    p.extents[0] = batch;
    const auto t = task_of(p);
    const auto s = plan_onchip(t, {}, kHopper);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->input, copy_mode::lines);
    EXPECT_FALSE(loads_boxes(t.geometry, *s, 4));
  }
}

TEST(FastDivide, DividesAsAProcessorDoes) {
  constexpr index_t most = std::numeric_limits<int>::max();
  rng random = random_for("divisors");
  const auto some = [&] { return most >> draw(random, 0, 30); };
  for (int run = 0; run < 20000; ++run) {
    const index_t by = run < 100 ? run + 1 : draw(random, 1, some());
    const tridia::gpu::fast_divide d(static_cast<int>(by));
    const index_t multiple = draw(random, 0, most / by) * by;
    for (const index_t n : {index_t{0}, multiple, multiple - 1, multiple + 1, by - 1, by, most,
                            draw(random, 0, some())}) {
      if (n < 0 || n > most) continue;
      EXPECT_EQ(d.quotient(static_cast<int>(n)), n / by) << n << " / " << by;
    }
  }
}

}  // namespace
}  // namespace tridia_test
