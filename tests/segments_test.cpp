// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests are for systems too long for the GPU's chip. They check the shape of every pass,
// which needs no GPU, and, on a GPU, solve short systems in segments so small that many levels lie
// above them.
#include "solver/cuda/partition/segments/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/segments.hpp"
#include "support/targets.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::cuda::interleaved_shape;
using tridia::cuda::onchip_shape;
using tridia::cuda::plan_segments;
using tridia::cuda::segments_shape;
using tridia::cuda::segments_tuning;
using tridia::gpu::device_limits;

constexpr device_limits kHopper{227 << 10, true}, kAmpere{99 << 10, false};

/// Checks that every row is in one block, in one chunk, and that every block has some.
void expect_covered(const onchip_shape& s) {
  const auto all = [&](index_t blocks) { return blocks * s.block_rows; };
  EXPECT_GE(all(s.blocks), s.rows);
  EXPECT_LT(all(s.blocks - 1), s.rows);
  EXPECT_GE(s.chunks * s.chunk_rows, s.block_rows);
  EXPECT_LT((s.chunks - 1) * s.chunk_rows, s.block_rows);
  EXPECT_LE(s.threads, 512);
  EXPECT_EQ(s.threads % 32, 0);
  EXPECT_LE(s.systems, s.threads / 32 / s.warps_a_system * s.systems_a_warp);
}

void expect_covered(const interleaved_shape& s) {
  EXPECT_GE(index_t{s.segments} * s.block_rows, s.rows);
  EXPECT_LT(index_t{s.segments - 1} * s.block_rows, s.rows);
  EXPECT_GE((s.groups << s.log_in_group) * s.chunk_rows, s.block_rows);
  EXPECT_LE(s.threads(), 512);
  EXPECT_EQ(s.threads() % 32, 0);
  EXPECT_EQ(s.systems << (s.log_groups + s.log_in_group), s.threads());
  EXPECT_GE(s.schedule.tiles, s.beside);
}

struct place {
  std::size_t begin, bytes;
};

void expect_apart(std::vector<place> places, std::size_t end) {
  std::sort(places.begin(), places.end(),
            [](const place& a, const place& b) { return a.begin < b.begin; });
  for (std::size_t k = 0; k < places.size(); ++k) {
    EXPECT_EQ(places[k].begin % 64, 0u);
    EXPECT_LE(places[k].begin + places[k].bytes, k + 1 < places.size() ? places[k + 1].begin : end);
  }
}

void expect_sound(const segments_shape& s, const problem& p, const device_limits& limits) {
  const tridia::solver::task t = task_of(p);
  const auto systems = static_cast<std::size_t>(t.geometry.matrices.size);
  const std::size_t size = size_of(p.type);
  const bool pivots = p.pivoting == pivoting::partial;
  const auto expect_fits = [&](const auto& shape) {
    EXPECT_LE(shape.shared_bytes, limits.shared_bytes);
    EXPECT_EQ(shape.rows, t.geometry.rows);
    expect_covered(shape);
  };
  if (s.in_boxes) {
    expect_fits(s.of_rows);
  } else {
    expect_fits(s.of_lines);
  }
  index_t nodes = s.in_boxes ? s.of_rows.segments : s.of_lines.blocks;
  const std::size_t segments = systems * static_cast<std::size_t>(nodes);
  std::vector<place> places{{s.system_states, systems * sizeof(int)},
                            {s.overflows, systems * sizeof(index_t)},
                            {s.found, 3 * sizeof(int)},
                            {s.segment_states, segments * sizeof(int)},
                            {s.edges, segments * 2 * size},
                            {s.borders, segments * 6 * size}};
  for (int k = 0; k < s.levels; ++k) {
    const auto& level = s.level[k];
    EXPECT_EQ(level.shape.rows, nodes);
    EXPECT_EQ(level.shape.chunk_rows, 1);
    expect_covered(level.shape);
    const std::size_t count = systems * static_cast<std::size_t>(nodes);
    places.push_back({level.equations, count * (pivots ? 10 : 6) * size});
    places.push_back({level.unknowns, count * (pivots ? 4 : 3) * size});
    nodes = level.shape.blocks;
  }
  EXPECT_EQ(nodes, 1);
  expect_apart(places, s.bytes);
}

std::vector<problem> long_problems() {
  std::vector<problem> all;
  for (const value_type type : kTypes)
    for (const pivoting pivots : {pivoting::none, pivoting::partial})
      for (const index_t n : {3000, 40000, 1 << 20, 100000000})
        for (const index_t batch : {1, 3, 1000})
          for (const bool contiguous : {true, false}) {
            problem p{.type = type, .extents = {batch, n}, .pivoting = pivots};
            if (!contiguous) p.extents = {n, batch}, p.axis = 0;
            all.push_back(p);
          }
  return all;
}

TEST(SegmentsShape, IsSoundForEveryProblem) {
  for (const problem& p : long_problems())
    for (const device_limits& limits : {kHopper, kAmpere})
      for (const segments_tuning& tuning : {segments_tuning{}, segments_tuning{64, 7, 3}}) {
        SCOPED_TRACE(describe(p) + " rows " + std::to_string(tuning.rows));
        const auto s = plan_segments(task_of(p), tuning, limits);
        ASSERT_TRUE(s || tuning.rows > 0);
        if (s) expect_sound(*s, p, limits);
      }
}

TEST(SegmentsShape, NeedsAFewPerCentOfTheData) {
  for (const problem& p : long_problems()) {
    const double data = 5.0 * static_cast<double>(p.extents[0] * p.extents[1]) *
                        static_cast<double>(size_of(p.type));
    if (data < 1e6) continue;
    const auto s = plan_segments(task_of(p), {}, kHopper);
    EXPECT_LE(static_cast<double>(s->bytes), 0.05 * data) << describe(p);
  }
}

TEST(SegmentsShape, HasFewLevels) {
  const auto levels = [](index_t n) {
    return plan_segments(task_of({.extents = {n}}), {}, kHopper)->levels;
  };
  EXPECT_EQ(levels(40000), 1);
  EXPECT_EQ(levels(1 << 20), 1);
  EXPECT_EQ(levels(1 << 24), 2);
  EXPECT_EQ(levels(index_t{1} << 31), 3);
}

TEST(SegmentsShape, HasRowsBeyond32Bits) {
  const index_t n = (index_t{1} << 31) + 5;
  const auto s = plan_segments(task_of({.type = value_type::f32, .extents = {n}}), {}, kHopper);
  ASSERT_TRUE(s);
  EXPECT_GE(s->of_lines.blocks * index_t{s->of_lines.block_rows}, n);
}

/// x beside a short last segment would have to wait for the whole line. Segments begin at multiples
/// of 16 bytes.
TEST(SegmentsShape, HasNoShortLastSegment) {
  using tridia::cuda::even_segments;
  EXPECT_EQ(even_segments(16384, 136, 102, 1), 128);
  for (const index_t most : {97, 136, 1632})
    for (const index_t step : {1, 2, 4})
      for (index_t n = 1; n < 40 * most; n += 13) {
        const index_t least = most / 4 * 3, rows = even_segments(n, most, least, step);
        EXPECT_LE(rows, std::min(n, most));
        EXPECT_GE(rows, std::min(n, most - most / 4));
        if (rows < n) EXPECT_EQ((most - rows) % step, 0);
        if (n > 5 * most && step == 1)
          EXPECT_TRUE(n % rows == 0 || n % rows >= least) << n << " by " << rows;
      }
  for (const value_type type : {value_type::f32, value_type::f64, value_type::c64})
    for (const pivoting pivots : {pivoting::none, pivoting::partial})
      for (const index_t n : {1 << 21, 1 << 22, 1 << 26, 3'000'001}) {
        const auto s =
            plan_segments(task_of({.type = type, .extents = {n}, .pivoting = pivots}), {}, kHopper);
        ASSERT_TRUE(s);
        const index_t rows = s->of_lines.block_rows;
        EXPECT_EQ(rows * static_cast<index_t>(size_of(type)) % 16, 0);
        EXPECT_GE(n % rows == 0 ? rows : n % rows, 128);
      }
}

/// Blocks wait for those with the next rows of the same systems, which must have places.
TEST(SegmentsShape, HasFewSegmentsBeside) {
  device_limits limits = kHopper;
  limits.multiprocessors = 132;
  const auto s = plan_segments(task_of({.extents = {100'000, 5000}, .axis = 0}), {}, limits);
  ASSERT_TRUE(s && s->in_boxes);
  EXPECT_EQ(s->of_rows.beside, 66);
}

// Rows that begin anywhere are copied by threads, in tiles that leave the first-level cache room.
TEST(SegmentsShape, TilesThatThreadsCopyTakeTurns) {
  constexpr index_t kRows = 10'001, kBatch = 5001;
  device_limits limits = kHopper;
  limits.multiprocessors = 132;
  for (const value_type type : {value_type::f32, value_type::f64, value_type::c64})
    for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
      SCOPED_TRACE(testing::Message() << tridia::name(type) << " " << tridia::name(pivots));
      problem p{.type = type, .extents = {kRows, kBatch}, .axis = 0, .pivoting = pivots};
      const auto s = plan_segments(task_of(p), {}, limits);
      ASSERT_TRUE(s && !s->in_boxes);
      EXPECT_EQ(s->of_lines.beside, 16);
      EXPECT_EQ(s->of_lines.systems, 16);
      const bool waits = type == value_type::c64 && pivots == pivoting::partial;
      EXPECT_EQ(s->of_lines.shared_bytes >= std::size_t{80} << 10, !waits);
      EXPECT_LE(2 * (s->of_lines.shared_bytes + 1024), std::size_t{228} << 10);
    }
  const auto shape_of = [&](std::vector<index_t> extents, int axis) {
    const auto s =
        plan_segments(task_of({.extents = std::move(extents), .axis = axis}), {}, limits);
    EXPECT_TRUE(s && !s->in_boxes);
    return s->of_lines;
  };
  // Rows of few neighbours, and short parts of lines, are better as they are.
  EXPECT_EQ(shape_of({kRows, 7}, 0).beside, 1);
  EXPECT_EQ(shape_of({3000, kRows, 3}, 1).beside, 1);
  EXPECT_LT(shape_of({33, 5001}, 0).shared_bytes, std::size_t{24} << 10);
  // Two blocks of an A100 have no room for larger tiles; segments wait for few others on a part of
  // a device.
  limits.shared_bytes = 163 << 10;
  EXPECT_LE(2 * (shape_of({kRows, kBatch}, 0).shared_bytes + 1024), std::size_t{164} << 10);
  limits.multiprocessors = 14;
  EXPECT_EQ(shape_of({kRows, kBatch}, 0).beside, 1);
}

/// Solves an experiment in segments as `tuning` says. Returns whether there are any.
bool solve_in_segments(experiment& e, const segments_tuning& tuning) {
  segment_passes passes(e.problem(), tuning);
  if (!passes) return false;
  e.give();
  EXPECT_EQ(passes.enqueue(e, nullptr), cudaSuccess);
  EXPECT_EQ(e.take(), "");
  return true;
}

struct config {
  value_type type;
  tridia::pivoting pivoting;
  tridia::boundary boundary;
  tridia::operation operation;
};

std::vector<config> configs() {
  std::vector<config> all;
  if (!have_gpu()) return all;
  for (const value_type t : kTypes)
    for (const pivoting p : {pivoting::none, pivoting::partial})
      for (const boundary b : {boundary::regular, boundary::periodic})
        for (const operation o :
             {operation::none, operation::transpose, operation::conjugate_transpose})
          all.push_back({t, p, b, o});
  return all;
}

class Segments : public ::testing::TestWithParam<config> {};

TEST_P(Segments, SolveThroughManyLevels) {
  rng random = random_for("Segments");
  const config& c = GetParam();
  for (const index_t n : {3, 64, 100, 193, 1000})
    for (const segments_tuning& tuning :
         {segments_tuning{8, 3, 2}, segments_tuning{48, 5, 3}, segments_tuning{20, 1, 40}})
      for (const index_t interleaved : {0, 5, 16})
        for (const std::optional<role> alias :
             {std::optional<role>{}, {role::dl}, {role::d}, {role::du}, {role::rhs}}) {
          problem p{.type = c.type,
                    .extents = {5, n},
                    .boundary = c.boundary,
                    .pivoting = c.pivoting,
                    .operation = c.operation};
          if (interleaved > 0) p.extents = {n, interleaved}, p.axis = 0;
          experiment e(p, {.backend = tridia::backend::cuda, .status = false, .alias = alias});
          SCOPED_TRACE(describe(p) + (alias ? " x is " + name(*alias) : "") + " segments of " +
                       std::to_string(tuning.rows));
          e.fill_matrices(random, draw_size(random));
          e.fill_rhs(random);
          ASSERT_TRUE(solve_in_segments(e, tuning));
          ASSERT_EQ(check_solution(e, 0), "");
        }
}

// Sixteen tiles beside each other take turns, and then the four that are left.
TEST_P(Segments, SolveTilesThatTakeTurns) {
  rng random = random_for("SegmentsInTurns");
  const config& c = GetParam();
  for (const segments_tuning& tuning : {segments_tuning{}, segments_tuning{48, 5, 3}}) {
    problem p{.type = c.type,
              .extents = {300, 19 * 16 + 5},
              .axis = 0,
              .boundary = c.boundary,
              .pivoting = c.pivoting,
              .operation = c.operation};
    experiment e(p, {.backend = tridia::backend::cuda, .status = false});
    SCOPED_TRACE(describe(p) + " segments of " + std::to_string(tuning.rows));
    e.fill_matrices(random, draw_size(random));
    e.fill_rhs(random);
    ASSERT_TRUE(solve_in_segments(e, tuning));
    ASSERT_EQ(check_solution(e, 0), "");
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Segments);
INSTANTIATE_TEST_SUITE_P(All, Segments, ::testing::ValuesIn(configs()), [](const auto& test) {
  const config& c = test.param;
  std::string text(name(c.type));
  for (const auto part : {name(c.pivoting), name(c.boundary), name(c.operation)})
    text += '_' + std::string(part);
  return text;
});

/// Tests systems too long for the chip, two of which have no solution. Interleaved, boxes hold rows
/// of as many as a line of the cache has, and not of three.
class LongSystems : public ::testing::TestWithParam<value_type> {
 protected:
  static constexpr index_t kRows = 40'009, kBadRow = 12'345, kZeroColumn = 25'000;

  static std::vector<problem> problems() {
    std::vector<problem> all;
    for (const pivoting pivots : {pivoting::none, pivoting::partial})
      for (const boundary b : {boundary::regular, boundary::periodic})
        for (const index_t interleaved : {0, 3, 16}) {
          problem p{.type = GetParam(), .extents = {3, kRows}, .boundary = b, .pivoting = pivots};
          if (interleaved > 0) p.extents = {kRows, interleaved}, p.axis = 0;
          all.push_back(p);
        }
    return all;
  }
  void fill(experiment& e) {
    e.fill_matrices(random_, draw_size(random_));
    e.fill_rhs(random_);
  }
  static void spoil(experiment& e) {
    e.set(role::rhs, 1, kBadRow, std::numeric_limits<long double>::quiet_NaN());
    e.set(role::d, 2, kZeroColumn, 0);
    e.set(role::dl, 2, kZeroColumn + 1, 0);
    e.set(role::du, 2, kZeroColumn - 1, 0);
  }
  static void expect_solved(const experiment& e, index_t system) {
    EXPECT_LE(backward_error(matrix_of(e, system), solution_of(e, system, 0), rhs_of(e, system, 0)),
              kBackwardBound * epsilon(GetParam()));
  }
  rng random_ = random_for("LongSystems");
};

TEST_P(LongSystems, FailByThemselves) {
  for (const problem& p : problems())
    for (const std::optional<role> alias : {std::optional<role>{}, {role::d}, {role::rhs}}) {
      experiment e(p, {.backend = tridia::backend::cuda, .alias = alias});
      SCOPED_TRACE(describe(p) + (alias ? " x is " + name(*alias) : ""));
      EXPECT_NE(e.plan().reason().find("segments"), std::string::npos) << e.plan().reason();
      fill(e);
      spoil(e);
      EXPECT_EQ(e.run(), "");
      std::vector<index_t> status(e.status().size());
      status[1] = -(kBadRow + 1), status[2] = kZeroColumn + 1;
      EXPECT_EQ(e.status(), status);
      for (index_t k = 0; k < static_cast<index_t>(status.size()); ++k) {
        if (k != 1 && k != 2) expect_solved(e, k);
      }
    }
}

TEST_P(LongSystems, AreTheSameFromRunToRun) {
  for (const problem& p : problems()) {
    SCOPED_TRACE(describe(p));
    experiment e(p, {.backend = tridia::backend::cuda});
    fill(e);
    EXPECT_EQ(e.run(), "");
    EXPECT_EQ(check_solution(e, 0), "");
    const std::vector<std::byte> before = e.solution_bytes(1);
    EXPECT_EQ(e.run(), "");
    EXPECT_TRUE(e.solution_bytes(1) == before);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LongSystems);
INSTANTIATE_TEST_SUITE_P(All, LongSystems, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace tridia_test
