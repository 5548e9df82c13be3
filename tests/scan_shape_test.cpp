// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests check the shapes of scans on a GPU, and their tables, which are made on the host, and
// so tested without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "line_operator/constant.hpp"
#include "line_operator/cuda/scan.hpp"
#include "support/team.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::gpu::device_limits;
using tridia::layout::rhs;
using tridia::layout::x;
using tridia::line_operator::plan_scan;
using tridia::line_operator::scan_shape;
using tridia::line_operator::scan_task;

constexpr device_limits kHopper{
    .shared_bytes = 227 << 10, .clusters = true, .multiprocessors = 132};

/// Returns the task for lines of `n` rows in a dense field, `inner` neighbours wide.
scan_task task(tridia::value_type type, index_t outer, index_t n, index_t inner, int width = 1) {
  scan_task t{.type = type, .lines = {}, .points = n, .rows = n, .width = width};
  t.distinct = 4;
  t.lines.rows = n;
  for (const auto a : {rhs, x}) {
    t.lines.lines[a] = {0, inner};
    t.lines.right_sides.at[0].stride[a] = inner == 1 || outer > 1 ? n * inner : 1;
    t.lines.right_sides.at[1].stride[a] = 1;
  }
  const bool both = outer > 1 && inner > 1;
  t.lines.right_sides.count = both ? 2 : 1;
  t.lines.right_sides.size = outer * inner;
  t.lines.right_sides.at[0].extent = both ? outer : outer * inner;
  t.lines.right_sides.at[1].extent = inner;
  if (width > 1) t.b.first = -(width / 2), t.b.heads = t.b.tails = width / 2;
  return t;
}

void expect_sound(const scan_task& t, const scan_shape& s) {
  const auto size = static_cast<int>(tridia::size_of(t.type));
  const int lanes = s.interleaved ? s.lines : 1;
  EXPECT_LE(s.shared_bytes, kHopper.shared_bytes);
  EXPECT_GE(s.shared_bytes, static_cast<std::size_t>(s.stages) * s.stage_bytes);
  EXPECT_GE(s.stages, 1);
  // Every row has a thread, and every line all of its threads.
  EXPECT_GE(s.chunks * s.chunk_rows, s.rows);
  EXPECT_LT((s.chunks - 1) * s.chunk_rows, s.rows);
  EXPECT_GE(s.threads, s.chunks * s.round_lines);
  EXPECT_TRUE(s.lines == s.round_lines || s.in_tile.log > 0 ||
              s.chunk_rows == tridia::line_operator::short_chunk);
  EXPECT_LE(s.lines, 8 * s.round_lines);
  EXPECT_LE(s.threads, tridia::line_operator::most_scan_threads(t.exchanges));
  EXPECT_EQ(s.threads % 32, 0);
  // Lanes that hold neighbouring lines divide a warp, and its chunks are scanned in three steps.
  if (s.interleaved) {
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(s.lines)));
    EXPECT_EQ(1 << s.log_lines, s.lines);
    EXPECT_GE(lanes, 4);
    EXPECT_LE(lanes, s.chunks == 1 ? 256 : s.in_tile.log > 0 ? 128 : 32);
    EXPECT_EQ(s.round_lines % s.lanes(), 0);
    EXPECT_EQ(s.lanes(), std::min(s.round_lines, 32));
    EXPECT_LE(s.box_rows, 256);
    const tridia::line_operator::phased_rows& r = s.in_tile;
    EXPECT_EQ(r.front * size % 128, 0);
    EXPECT_TRUE(r.log == 0 || r.phase_pitch * size % 128 == 0);
    const int most = r.phases() - 1 + std::max(s.points, s.rows);
    const bool one_box = s.box_rows >= (most + r.phases() - 1) / r.phases();
    EXPECT_TRUE(one_box || s.box_rows * r.pitch * size % 128 == 0);
    EXPECT_GE(s.axis_tiles * s.lines, t.lines.right_sides.at[t.lines.right_sides.count - 1].extent);
  } else {
    EXPECT_EQ(s.in_tile.front * size % 16, 0);
    EXPECT_TRUE(s.whole || s.line_pitch * size % 16 == 0);
    // Of lines that follow each other, every tile begins where the TMA takes it.
    EXPECT_TRUE(!s.whole || s.lines * s.rows * size % 16 == 0);
    EXPECT_TRUE(!s.whole || s.line_pitch == s.rows);
    EXPECT_GE(s.tiles * s.lines, t.lines.right_sides.size);
    EXPECT_LT((s.tiles - 1) * s.lines, t.lines.right_sides.size);
  }
  // All that a thread reads, even if it has fewer rows, is in the stage; where a tile is one piece
  // of fewer neighbours, threads without a line read another one.
  const int lines_read = s.interleaved && s.whole ? s.solved_lines : s.lines;
  const int first = t.width > 1 ? t.b.first : 0;
  const int last = s.chunks * s.chunk_rows + t.width - 2 + std::max(first, 0);
  for (int row = 0; row < s.in_tile.phases(); ++row) {
    for (int k = std::min(first, 0); k <= last; ++k) {
      const int at = s.in_tile.place(row, s.in_tile.in_piece, k);
      ASSERT_GE(at, 0);
      ASSERT_LT(static_cast<std::size_t>((at + (lines_read - 1) * s.line_pitch) * size),
                s.stage_bytes);
    }
  }
}

TEST(ScanShape, IsSound) {
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64,
                          tridia::value_type::c128})
    for (const int width :
         {1, tridia::line_operator::some_weights, tridia::line_operator::most_weights})
      for (index_t n = width; n < 10'000; n = n < 40 ? n + 1 : n * 9 / 8)
        for (const auto& [outer, inner] : {std::pair<index_t, index_t>{1, 1},
                                           {7, 1},
                                           {100'000, 1},
                                           {1, 5},
                                           {1, 100'000},
                                           {1, 66'049},
                                           {70, 257},
                                           {300, 512},
                                           {3, 3}}) {
          const scan_task t = task(type, outer, n, inner, width);
          const auto s = plan_scan(t, kHopper);
          if (!s) continue;
          SCOPED_TRACE(std::string(tridia::name(type)) + " width " + std::to_string(width) + " " +
                       std::to_string(outer) + " x " + std::to_string(n) + " x " +
                       std::to_string(inner));
          expect_sound(t, *s);
          if (HasFailure()) return;
        }
}

/// Checks that, on periodic lines, every point beyond the ends that some row reads is copied, and
/// no other; from the line itself, so that copies do not wait for each other; to where nothing else
/// lies.
void expect_copied(const scan_task& t, const scan_shape& s) {
  std::set<int> read, copied;
  for (int k = 0; k < s.rows; ++k)
    for (int w = 0; w < t.width; ++w) {
      const int at = k + t.b.first + w;
      if (at < 0 || at >= s.points) read.insert(at);
    }
  const auto size = static_cast<int>(tridia::size_of(t.type));
  const tridia::line_operator::phased_rows& r = s.in_tile;
  const int front = r.front / r.pitch, in_phase = static_cast<int>(s.stage_bytes) / size / r.pitch;
  const int room = s.interleaved ? in_phase / r.phases() : s.line_pitch - r.in_piece;
  for (int i = 0; i < s.before + s.after; ++i) {
    const auto [to, from] = periodic_copy_of(s, i);
    EXPECT_TRUE(copied.insert(to).second);
    EXPECT_GE(from, 0);
    EXPECT_LT(from, s.points);
    EXPECT_EQ(std::abs(to - from), s.points);
    EXPECT_GE(to >> r.log, -front);
    EXPECT_LT((to + r.phases() - 1) >> r.log, room - front);
  }
  EXPECT_EQ(copied, read);
}

TEST(ScanShape, PeriodicLinesAreCopiedAsFarAsTheyAreRead) {
  using tridia::line_operator::most_weights, tridia::line_operator::some_weights;
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64})
    for (const auto& [width, first] : {std::pair{some_weights, -2},
                                       {some_weights, -1},
                                       {some_weights, 0},
                                       {some_weights, -4},
                                       {some_weights, 3},
                                       {some_weights, -24},
                                       {most_weights, -5},
                                       {most_weights, -4},
                                       {most_weights, -10}})
      for (index_t n = 24; n < 600; n = n < 200 ? n + 1 : n * 9 / 8)
        for (const auto& [outer, inner] :
             {std::pair<index_t, index_t>{7, 1}, {3000, 1}, {1, 3000}, {9, 40}}) {
          scan_task t = task(type, outer, n, inner, width);
          t.b.first = first, t.b.heads = t.b.tails = 0;
          SCOPED_TRACE(std::string(tridia::name(type)) + " width " + std::to_string(width) +
                       " from " + std::to_string(first) + " on, " + std::to_string(outer) + " x " +
                       std::to_string(n) + " x " + std::to_string(inner));
          const auto s = plan_scan(t, kHopper);
          ASSERT_TRUE(s);
          expect_sound(t, *s);
          expect_copied(t, *s);
          if (HasFailure()) return;
        }
  // Lines that would need more than one copy of themselves around them are refused.
  scan_task t = task(tridia::value_type::f64, 100, 30, 1, some_weights);
  t.b.heads = t.b.tails = 0;
  for (const int first : {-31, 27}) {
    t.b.first = first;
    EXPECT_FALSE(plan_scan(t, kHopper));
  }
}

TEST(ScanShape, TakesWhatItIsFor) {
  const auto f64 = tridia::value_type::f64;
  for (const index_t n : {64, 512, 1024, 4096}) {
    EXPECT_TRUE(plan_scan(task(f64, 30'000, n, 1), kHopper)) << n;
    if (n <= 2048) {
      EXPECT_TRUE(plan_scan(task(f64, 1, n, 30'000), kHopper)) << n;
    }
  }
  // Rows fill whole sectors of the cache, and there are enough stages, if there is room for both.
  for (const index_t n : {256, 512, 1024}) {
    const auto s = plan_scan(task(f64, n, n, n, tridia::line_operator::some_weights), kHopper);
    ASSERT_TRUE(s);
    EXPECT_GE(s->lines, 8) << n;
    EXPECT_GE(s->stages, 3) << n;
  }
}

// Tiles of short lines are as wide as the threads of a block allow.
TEST(ScanShape, TakesShortLines) {
  const auto f64 = tridia::value_type::f64;
  for (const index_t n : {1, 3, 4, 8, 16}) {
    const auto across = plan_scan(task(f64, 1, n, 1 << 20), kHopper);
    ASSERT_TRUE(across) << n;
    EXPECT_EQ(across->lines, n < 16 ? 256 : 128) << n;
    EXPECT_EQ(across->round_lines, 128) << n;
    const auto along = plan_scan(task(f64, 1 << 20, n, 1), kHopper);
    ASSERT_TRUE(along) << n;
    EXPECT_TRUE(along->whole) << n;
    // Tiles hold 16 KB, in up to eight rounds.
    EXPECT_EQ(along->lines, n == 1 ? 1774 : n <= 4 ? 448 : 224) << n;
    EXPECT_EQ(along->round_lines, 224) << n;
    // A thread of f32 has 8 rows, 19 or 37.
    const auto f32 = plan_scan(task(tridia::value_type::f32, 1, n, 1 << 20), kHopper);
    ASSERT_TRUE(f32) << n;
    EXPECT_EQ(f32->chunk_rows, n <= 8 ? 8 : 19) << n;
  }
  scan_task apart = task(f64, 1 << 20, 8, 1);
  apart.lines.right_sides.at[0].stride[x] = 9;
  EXPECT_FALSE(plan_scan(apart, kHopper));
}

/// Two blocks of a multiprocessor are preferred to a tile that is larger by up to a half; across,
/// stages leave room for further ones.
TEST(ScanShape, LeavesRoomForOtherBlocks) {
  const auto along = plan_scan(task(tridia::value_type::f64, 1 << 20, 24, 1, 5), kHopper);
  ASSERT_TRUE(along);
  EXPECT_TRUE(along->two_blocks);
  EXPECT_LT(along->lines, 112);
  EXPECT_GE(along->lines, 75);
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64}) {
    for (const index_t n : {4, 37, 64, 256}) {
      const auto across = plan_scan(task(type, 1, n, 1 << 20), kHopper);
      ASSERT_TRUE(across) << n;
      EXPECT_EQ(across->stages, 3) << n;
    }
  }
}

// Lines that begin anywhere are moved in one piece where they follow each other; those of a
// periodic stencil have no room for what it reads around them.
TEST(ScanShape, MovesLinesInOnePiece) {
  const auto f64 = tridia::value_type::f64, f32 = tridia::value_type::f32;
  const auto whole = [](scan_task t) {
    const auto s = plan_scan(t, kHopper);
    return s && s->whole;
  };
  for (const index_t n : {37, 257, 513}) {
    for (const int width : {1, 5, 11}) {
      for (const auto type : {f64, f32}) {
        scan_task t = task(type, 60'000, n, 1, width);
        EXPECT_TRUE(whole(t)) << n << " " << width;
        t.b.heads = t.b.tails = 0;
        EXPECT_EQ(whole(t), width == 1) << n << " " << width;
      }
    }
  }
  EXPECT_FALSE(whole(task(f64, 60'000, 256, 1, 5)));
  scan_task apart = task(f64, 60'000, 257, 1, 5);
  apart.lines.right_sides.at[0].stride[x] = 258;
  EXPECT_FALSE(whole(apart));
}

/// All rows of a few neighbours are one piece where the TMA could not take the rows one by one.
TEST(ScanShape, MovesRowsOfAFewNeighboursInOnePiece) {
  const auto f64 = tridia::value_type::f64, f32 = tridia::value_type::f32;
  const auto whole = [](const scan_task& t) {
    const auto s = plan_scan(t, kHopper);
    if (!s || !s->whole) return false;
    expect_sound(t, *s);
    EXPECT_EQ(s->axis_tiles, 1);
    EXPECT_EQ(s->in_tile.pitch, t.lines.lines[rhs].step);
    EXPECT_GE(s->lines, s->in_tile.pitch);
    return true;
  };
  for (const int width : {1, 5, 11}) {
    for (const index_t n : {64, 292, 512}) {
      for (const index_t neighbours : {3, 5, 7, 9, 15}) {
        EXPECT_TRUE(whole(task(f64, 1000, n, neighbours, width))) << n << ' ' << neighbours;
        EXPECT_TRUE(whole(task(f32, 1000, n, neighbours, width))) << n << ' ' << neighbours;
      }
      EXPECT_TRUE(whole(task(f32, 1000, n, 31, width))) << n;
      EXPECT_FALSE(whole(task(f64, 1000, n, 8, width))) << n;
      EXPECT_FALSE(whole(task(f64, 1000, n, 17, width))) << n;
      EXPECT_FALSE(whole(task(tridia::value_type::c128, 1000, n, 7, width))) << n;
    }
  }
  scan_task apart = task(f64, 1000, 512, 7, 5);
  apart.lines.lines[x].step = 9;
  EXPECT_FALSE(whole(apart));
}

/// Such a piece is a multiple of 16 bytes, at a multiple of 16 bytes; otherwise threads move it.
TEST(ScanShape, TakesPiecesAsTheyLie) {
  using tridia::line_operator::line_copy_mode;
  CUtensorMap maps[4];
  const auto mode = [&](const scan_task& t, std::size_t address) {
    tridia::line_operator::planned_scan p{};
    p.task = t, p.shape = *plan_scan(t, kHopper);
    return copy_mode_of(p, x, reinterpret_cast<const void*>(address), maps);
  };
  const auto f32 = tridia::value_type::f32;
  EXPECT_EQ(mode(task(f32, 1000, 512, 7, 5), 4096), line_copy_mode::lines);
  EXPECT_EQ(mode(task(f32, 1000, 512, 7, 5), 4100), line_copy_mode::elements);
  EXPECT_EQ(mode(task(f32, 1000, 510, 7, 5), 4096), line_copy_mode::elements);
  scan_task apart = task(f32, 1000, 512, 7, 5);
  apart.lines.right_sides.at[0].stride[x] += 7;
  EXPECT_EQ(mode(apart, 4096), line_copy_mode::elements);
}

/// line_operator/cuda/split_scan.cpp cuts long lines into such parts.
TEST(ScanShape, PartsOfLongLinesHaveRoom) {
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64,
                          tridia::value_type::c128}) {
    for (const int width : {1, 5, 11}) {
      for (const index_t outer : {1, 4, 512}) {  // parts, or another axis
        scan_task t = task(type, outer, 512, 4096, width);
        t.b.heads = t.b.tails = std::max(width / 2, 2);
        const auto interleaved = plan_scan(t, kHopper);
        ASSERT_TRUE(interleaved);
        expect_sound(t, *interleaved);
        EXPECT_GE(interleaved->lines * static_cast<int>(tridia::size_of(type)), 128);
      }
      scan_task t = task(type, 4096, 2048, 1, width);
      t.b.heads = t.b.tails = std::max(width / 2, 2);
      const auto along = plan_scan(t, kHopper);
      ASSERT_TRUE(along);
      expect_sound(t, *along);
      EXPECT_GE(along->stages, 3);
      // An adjoint's part has all its rows at ends, and right-hand sides that are given.
      t.gathers = true;
      t.b.heads = t.b.tails = tridia::line_operator::most_closure, t.b.given = {6, 6, 16};
      const auto gathering = plan_scan(t, kHopper);
      ASSERT_TRUE(gathering);
      EXPECT_EQ(gathering->lines, along->lines);
      EXPECT_EQ(gathering->stages, along->stages);
    }
  }
}

// All chunks have separate values, like those of a matrix that is known on the GPU alone.
TEST(ScanShape, HasRoomForAllValues) {
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64,
                          tridia::value_type::c128}) {
    for (const index_t n : {24, 100, 512, 1000}) {
      for (const index_t inner : {index_t{1}, index_t{1} << 17}) {
        scan_task t = task(type, inner == 1 ? 1 << 17 : 1, n, inner);
        t.distinct = 0;
        const auto s = plan_scan(t, kHopper);
        ASSERT_TRUE(s) << n;
        expect_sound(t, *s);
        EXPECT_EQ(s->distinct, s->chunks);
        EXPECT_GE(s->stages, type == tridia::value_type::c128 ? 2 : 3) << n;
        if (n >= 512) {
          EXPECT_GE(s->threads, 128) << n;
        }
        if (s->interleaved) {
          EXPECT_GE(s->lines * static_cast<int>(tridia::size_of(type)), n < 512 ? 128 : 64) << n;
        }
      }
    }
  }
}

// Threads are soon done where there are few rows in all, and so many that they fit a block.
TEST(ScanShape, FewRowsTakeSmallerChunks) {
  using tridia::line_operator::half_chunk;
  using tridia::line_operator::planned_chunk;
  using tridia::line_operator::some_weights;
  const auto chunk = [](index_t outer, index_t n, index_t inner, int width) {
    return planned_chunk(task(tridia::value_type::f32, outer, n, inner, width));
  };
  constexpr int most = tridia::line_operator::scan_chunk(4);
  EXPECT_EQ(chunk(4096, 1024, 1, some_weights), half_chunk);
  EXPECT_EQ(chunk(4097, 1024, 1, some_weights), most);
  EXPECT_EQ(chunk(1, 1024, 4096, some_weights), half_chunk);
  EXPECT_EQ(chunk(1, 1200, 1000, some_weights), most);
  EXPECT_EQ(chunk(100, 5000, 1, some_weights), most);
  EXPECT_EQ(chunk(2048, 1024, 1, 1), half_chunk);
  EXPECT_EQ(chunk(2049, 1024, 1, 1), most);
  EXPECT_EQ(chunk(1, 1024, 1000, 1), most);
  EXPECT_EQ(chunk(1000, 8, 1, 1), tridia::line_operator::short_chunk);
  EXPECT_EQ(planned_chunk(task(tridia::value_type::f64, 1 << 20, 1024, 1)), half_chunk);
  EXPECT_EQ(planned_chunk(task(tridia::value_type::c128, 1, 1024, 1)), 9);
  for (const index_t n : {100, 1000, 4256}) {
    for (const index_t inner : {1, 1000}) {
      scan_task t = task(tridia::value_type::f32, inner == 1 ? 1000 : 1, n, inner, some_weights);
      t.chunk_rows = planned_chunk(t);
      const auto s = plan_scan(t, kHopper);
      ASSERT_TRUE(s || (inner > 1 && n > 1000));
      if (s) expect_sound(t, *s);
      EXPECT_TRUE(!s || s->chunk_rows == t.chunk_rows);
    }
  }
}

// The tables of constants are made in higher precision, those of saved factors in their own.
TEST(ScanTables, AreTheSameOfConstantsAndOfKeptFactors) {
  using elimination =
      tridia::core::elimination<double, tridia::pivoting::partial, tridia::boundary::regular>;
  for (const index_t n : {24, 100, 512}) {
    tridia::problem p{.extents = {1, n}};
    p.matrix = {.interior = {0.3, 1, 0.4}, .head = {{0, 1, 2}}, .tail = {{0.5, 1, 0}}};
    const auto a = tridia::line_operator::make_constant_matrix(p, n);
    const auto wide = tridia::line_operator::make_recurrences(a);
    ASSERT_TRUE(wide);
    const auto of_constants = tridia::line_operator::cut_factors(*wide, tridia::value_type::f64,
                                                                 tridia::line_operator::half_chunk);

    const auto factors = tridia::line_operator::eliminate(a, tridia::pivoting::partial);
    std::vector<double> words;
    for (const auto& v : factors.at) words.push_back(static_cast<double>(v.re.v));
    const tridia::core::factored_recurrences<double, elimination> rows(words.data(),
                                                                       static_cast<int>(n));
    const auto cut = tridia::line_operator::scan_cut<double>(static_cast<int>(n));
    std::vector<double> values(static_cast<std::size_t>(cut.values())),
        products(static_cast<std::size_t>(cut.products()));
    by_team(3, [&](const team& t) {
      tridia::core::cut_values(cut, rows, values.data(), t);
      tridia::core::cut_products(cut, rows, products.data(), t);
    });
    const auto near = [](const tridia::line_operator::wide& right, double found) {
      const auto expected = static_cast<double>(right.re.v);
      // A product of all rows has as many roundings; what underflows is as good as zero.
      EXPECT_NEAR(found, expected, 3e-13 * std::fabs(expected) + 1e-300);
    };
    const int of_chunk = 3 * cut.rows;
    for (int i = 0; i < cut.values(); ++i) {
      const int number = of_constants.number[static_cast<std::size_t>(i / of_chunk)];
      near(of_constants.values[static_cast<std::size_t>(number * of_chunk + i % of_chunk)],
           values[static_cast<std::size_t>(i)]);
    }
    ASSERT_EQ(of_constants.minus_products.size(), products.size());
    for (std::size_t i = 0; i < products.size(); ++i)
      near(of_constants.minus_products[i], products[i]);
  }
}

TEST(ScanShape, LeavesTheRest) {
  const auto f64 = tridia::value_type::f64;
  // Four neighbouring lines have more chunks than a block has threads.
  for (const auto type : {tridia::value_type::f32, f64, tridia::value_type::c128}) {
    const index_t most = tridia::line_operator::most_scan_threads(false) / 4 *
                         tridia::line_operator::scan_chunk(tridia::size_of(type));
    for (const index_t inner : {32, 33}) {
      EXPECT_FALSE(plan_scan(task(type, 1, most + 1, inner), kHopper));
      EXPECT_FALSE(plan_scan(task(type, 3, most + 1, inner), kHopper));
    }
  }
  EXPECT_FALSE(plan_scan(task(f64, 100, 16, 8), kHopper));       // short, and few neighbours
  EXPECT_FALSE(plan_scan(task(f64, 100, 100'000, 1), kHopper));  // too long
  EXPECT_FALSE(plan_scan(task(f64, 0, 100, 1), kHopper));        // none
  EXPECT_FALSE(
      plan_scan(task(f64, 100, 100, 1), {.shared_bytes = 99 << 10, .multiprocessors = 84}));
}

}  // namespace
}  // namespace tridia_test
