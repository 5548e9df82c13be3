// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests move boxes of arrays as the TMA of a GPU does, which the host simulates: they check
// what lies in shared memory after a load, and what a store leaves unchanged.
#include "solver/cuda/partition/boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "line_operator/cuda/scan.hpp"
#include "support/random.hpp"
#include "support/targets.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

using namespace tridia::cuda;
using namespace tridia::gpu;
using namespace tridia::line_operator;
using tridia::index_t;
using tridia::layout::along;
using tridia::layout::edge;
using tridia::layout::geometry;
namespace layout = tridia::layout;

constexpr device_limits kHopper{227 << 10, true, 16};
constexpr device_limits kScans{.shared_bytes = 227 << 10, .clusters = true, .multiprocessors = 132};

/// Calls f(word in the box, address in the array, or null beyond it) for each word of a box.
template <class F>
void for_each_word(const tensor_layout& t, index_t i, index_t j, index_t k, F f) {
  std::size_t at = 0;
  for (index_t c = k; c < k + t.box[2]; ++c)
    for (index_t b = j; b < j + t.box[1]; ++b)
      for (index_t a = i; a < i + t.box[0]; ++a, at += t.word) {
        const bool inside =
            a >= 0 && a < t.extents[0] && b >= 0 && b < t.extents[1] && c >= 0 && c < t.extents[2];
        const index_t bytes =
            a * static_cast<index_t>(t.word) + b * t.strides[0] + c * t.strides[1];
        f(at, inside ? static_cast<const std::byte*>(t.first) + bytes : nullptr);
      }
}
/// These copy a box from device to shared memory and back (PTX ISA, cp.async.bulk.tensor).
void load_box(std::byte* to, const tensor_layout& t, index_t i, index_t j, index_t k) {
  ASSERT_EQ(i * static_cast<index_t>(t.word) % 16, 0);  // or the GPU stops
  for_each_word(t, i, j, k, [&](std::size_t at, const std::byte* from) {
    from ? std::memcpy(to + at, from, t.word) : std::memset(to + at, 0, t.word);
  });
}
void store_box(const tensor_layout& t, index_t i, index_t j, index_t k, const std::byte* from) {
  ASSERT_EQ(i * static_cast<index_t>(t.word) % 16, 0);
  for_each_word(t, i, j, k, [&](std::size_t at, const std::byte* to) {
    if (to) std::memcpy(const_cast<std::byte*>(to), from + at, t.word);
  });
}

std::vector<std::byte> random_bytes(std::size_t count, rng& random) {
  std::vector<std::byte> bytes((count + 7) / 8 * 8);
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const rng::result_type drawn = random() | 0x0101010101010101u;  // no byte is 0
    std::memcpy(&bytes[i], &drawn, 8);
  }
  return bytes;
}

/// Holds an array of lines in memory of the host, with room around it; every byte is random. The
/// batch is `matrices` or `right_sides`.
class field {
 public:
  field(const along& line, const layout::axes& batch, layout::array a, index_t rows,
        std::size_t size, rng& random)
      : line_(line), batch_(batch), array_(a), size_(size) {
    index_t low = 0, high = 0;
    for (index_t l = 0; l < batch.size; ++l)
      for (const index_t row : {index_t{0}, rows - 1}) {
        low = std::min(low, place(l, row));
        high = std::max(high, place(l, row));
      }
    const std::size_t front = static_cast<std::size_t>(-low) * size / 16 * 16 + 64;
    bytes_ = random_bytes(front + static_cast<std::size_t>(high + 1) * size + 64, random);
    before_ = bytes_;
    first_ = front;
  }
  /// Returns the array's pointer, which is aligned to 16 bytes, as operator new gives it.
  [[nodiscard]] const void* pointer() const { return bytes_.data() + first_; }
  [[nodiscard]] const std::byte* element(index_t l, index_t row) const {
    return bytes_.data() + at(l, row);
  }
  /// Expects that an element is what was stored; then it counts as unchanged.
  void expect_stored(index_t l, index_t row, const std::byte* value) {
    EXPECT_EQ(std::memcmp(element(l, row), value, size_), 0) << "line " << l << " row " << row;
    std::memcpy(before_.data() + at(l, row), value, size_);
  }
  [[nodiscard]] bool unchanged() const { return bytes_ == before_; }

 private:
  [[nodiscard]] index_t place(index_t l, index_t row) const {
    index_t offsets[layout::array_count];
    batch_.offsets(l, offsets);
    return offsets[array_] + line_.origin + row * line_.step;
  }
  [[nodiscard]] std::size_t at(index_t l, index_t row) const {
    return first_ + static_cast<std::size_t>(place(l, row) * static_cast<index_t>(size_));
  }

  along line_;
  layout::axes batch_;
  layout::array array_;
  std::size_t size_, first_ = 0;
  std::vector<std::byte> bytes_, before_;
};

bool is_zero(const std::byte* p, std::size_t size) {
  return std::all_of(p, p + size, [](std::byte b) { return b == std::byte{0}; });
}

/// Checks lines of a batch of one axis in boxes of `lines` of them, `pitch` elements each, of which
/// `front` lie before a line's first row if it is loaded.
void expect_lines_moved(const tensor_layout& t, field& f, bool is_stored, index_t batch,
                        index_t rows, int lines, int pitch, int front, std::size_t size,
                        rng& random) {
  const auto words = static_cast<index_t>(size / t.word);
  for (index_t first = 0; first < batch; first += lines) {
    std::vector<std::byte> tile =
        random_bytes(static_cast<std::size_t>(lines * pitch + front) * size, random);
    const auto at = [&](index_t line, index_t row) {
      return tile.data() + static_cast<std::size_t>(line * pitch + front + row) * size;
    };
    if (is_stored) {
      store_box(t, 0, first, 0, tile.data() + static_cast<std::size_t>(front) * size);
    } else {
      load_box(tile.data(), t, -front * words, first, 0);
    }
    for (index_t line = 0; line < lines; ++line)
      for (index_t row = -front; row < pitch - front; ++row) {
        const bool there = row >= 0 && row < rows && first + line < batch;
        if (is_stored) {
          if (there) f.expect_stored(first + line, row, at(line, row));
        } else if (there) {
          ASSERT_EQ(std::memcmp(at(line, row), f.element(first + line, row), size), 0)
              << "line " << first + line << " row " << row;
        } else {
          ASSERT_TRUE(is_zero(at(line, row), size)) << "line " << first + line << " row " << row;
        }
      }
  }
  EXPECT_TRUE(f.unchanged());
}

tridia::problem lines_problem(tridia::value_type type, index_t batch, index_t n, index_t gap) {
  const std::vector<index_t> strides{n + gap, 1};
  return {.type = type,
          .extents = {batch, n},
          .dl_strides = strides,
          .d_strides = strides,
          .du_strides = strides,
          .rhs_strides = strides,
          .x_strides = strides};
}

TEST(TensorLayout, MovesLinesOfSystems) {
  rng random = random_for("MovesLinesOfSystems");
  for (const auto type : kTypes) {
    const std::size_t size = tridia::size_of(type);
    const auto granule = static_cast<index_t>(16 / size);
    for (index_t n = 256 / static_cast<index_t>(size); n * static_cast<index_t>(size) < 512;
         n += granule)
      for (const index_t batch : {2, 3, 8, 61})
        for (const index_t gap : {granule, 5 * granule}) {
          SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(batch) + " x " +
                       std::to_string(n) + " + " + std::to_string(gap));
          const auto task = task_of(lines_problem(type, batch, n, gap));
          const geometry& g = task.geometry;
          const auto s = plan_onchip(task, {}, kHopper);
          ASSERT_TRUE(s && loads_boxes(g, *s, size));
          for (const auto a : {layout::sub, layout::diag, layout::sup, layout::rhs, layout::x}) {
            field f(g.lines[a], g.matrices, a, n, size, random);
            const auto t = layout_of(g, *s, size, a, f.pointer());
            ASSERT_TRUE(t);
            expect_lines_moved(*t, f, a == layout::x, batch, n, s->systems, s->pitch, 0, size,
                               random);
          }
          if (HasFailure()) return;
        }
  }
}

/// Returns lines of a scan, `gap` elements apart.
scan_task scan_of_lines(tridia::value_type type, index_t batch, index_t points, index_t rows,
                        index_t gap, int width, int first) {
  scan_task t{.type = type, .lines = {}, .points = points, .rows = rows, .width = width};
  t.distinct = 2, t.b.first = first;
  t.lines.rows = rows;
  for (const auto a : {layout::rhs, layout::x}) {
    t.lines.lines[a] = {0, 1};
    t.lines.right_sides.at[0].stride[a] = std::max(points, rows) + gap;
  }
  t.lines.right_sides.count = 1;
  t.lines.right_sides.size = t.lines.right_sides.at[0].extent = batch;
  return t;
}

TEST(TensorLayout, MovesLinesOfScans) {
  rng random = random_for("MovesLinesOfScans");
  int moved = 0;
  for (const auto type : kTypes) {
    const std::size_t size = tridia::size_of(type);
    const auto granule = static_cast<index_t>(16 / size);
    for (index_t n = 24; n * static_cast<index_t>(size) <= 784; n += draw(random, 1, 5))
      for (const auto& [width, first] : {std::pair{1, 0}, {some_weights, -2}, {most_weights, -5}})
        for (const index_t batch : {2, 7, 1000}) {
          const index_t gap = granule * draw(random, 1, 3) + (granule - n % granule) % granule;
          const auto task = scan_of_lines(type, batch, n, n, gap, width, first);
          const auto shape = plan_scan(task, kScans);
          ASSERT_TRUE(shape);
          SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(batch) + " x " +
                       std::to_string(n) + " width " + std::to_string(width));
          planned_scan p{};
          p.task = task, p.shape = *shape;
          for (const auto a : {layout::rhs, layout::x}) {
            field f(task.lines.lines[a], task.lines.right_sides, a, n, size, random);
            const auto t = layout_of(p, a, f.pointer());
            const index_t bytes = n * static_cast<index_t>(size);
            ASSERT_EQ(t.has_value(), shape->boxes);
            // Boxes are for short lines that are whole, and hold up to 256 words of each.
            const bool whole = bytes % 16 == 0;
            EXPECT_TRUE(t || !whole || bytes > 640);
            if (!t) continue;
            EXPECT_TRUE(whole && bytes <= 768);
            ++moved;
            // Boxes begin at a cache line, and lie within the block's memory.
            const int front = shape->in_tile.front;
            ASSERT_EQ(static_cast<std::size_t>(front) * size % 128, 0);
            ASSERT_LE(static_cast<std::size_t>(shape->lines * shape->line_pitch) * size,
                      shape->stage_bytes);
            ASSERT_LE(128 + static_cast<std::size_t>(shape->stages - 1) * shape->stage_bytes +
                          static_cast<std::size_t>(front + shape->lines * shape->line_pitch) * size,
                      shape->shared_bytes);
            expect_lines_moved(*t, f, a == layout::x, batch, n, shape->lines, shape->line_pitch,
                               front, size, random);
          }
          if (HasFailure()) return;
        }
  }
  EXPECT_GT(moved, 200);
}

/// Loads a tile of neighbouring lines phase by phase, as src/line_operator/cuda/scan_tile.cuh does,
/// and checks that each element of it lies where a thread looks for it, and zeros beyond the rows.
void expect_phases_moved(const planned_scan& p, const field& f, index_t outer, index_t first,
                         index_t number, rng& random) {
  const scan_shape& s = p.shape;
  const phased_rows& r = s.in_tile;
  const std::size_t size = tridia::size_of(p.task.type);
  std::vector<std::byte> tile = random_bytes(s.stage_bytes, random);
  const index_t row = outer * s.outer_rows;
  const auto begin =
      static_cast<int>(reinterpret_cast<std::uintptr_t>(f.element(0, 0)) % 16 / size);
  const auto place = [&](int k) { return r.place(static_cast<int>(row % r.phases()), begin, k); };
  for (int phase = 0; phase < r.phases(); ++phase) {
    const auto t = layout_of(p, layout::rhs, f.pointer(), phase);
    ASSERT_TRUE(t);
    for (int k = 0; k * r.phases() < s.points + r.phases() - 1; k += s.box_rows) {
      const int at = phase * r.phase_pitch + r.front + k * r.pitch;
      ASSERT_EQ(static_cast<std::size_t>(at) * size % 128, 0);
      ASSERT_LE(static_cast<std::size_t>(at + s.box_rows * r.pitch) * size, s.stage_bytes);
      load_box(&tile[static_cast<std::size_t>(at) * size], *t, first, (row >> r.log) + k, 0);
    }
  }
  const index_t neighbours = p.task.lines.right_sides.at[p.task.lines.right_sides.count - 1].extent;
  for (int k = 0; k < s.points; ++k)
    for (int line = 0; line < s.lines; ++line) {
      const std::byte* const at = &tile[static_cast<std::size_t>(place(k) + line) * size];
      if (first + line < neighbours) {
        ASSERT_EQ(std::memcmp(at, f.element(number + line, k), size), 0)
            << "line " << number + line << " row " << k;
      } else {
        ASSERT_TRUE(is_zero(at, size)) << "line " << number + line << " row " << k;
      }
    }
}

/// Returns lines of a scan along the middle axis, rows being `row` elements apart.
scan_task scan_of_rows(tridia::value_type type, index_t outer, index_t points, index_t neighbours,
                       index_t row, index_t gap, int width, int first) {
  scan_task t{.type = type, .lines = {}, .points = points, .rows = points, .width = width};
  t.distinct = 2, t.b.first = first;
  t.lines.rows = points;
  layout::axes& m = t.lines.right_sides;
  m.count = 2, m.size = outer * neighbours;
  m.at[0].extent = outer, m.at[1].extent = neighbours;
  for (const auto a : {layout::rhs, layout::x}) {
    t.lines.lines[a] = {0, row};
    m.at[0].stride[a] = (points + gap) * row, m.at[1].stride[a] = 1;
  }
  return t;
}

TEST(TensorLayout, MovesRowsThatBeginAnywhere) {
  rng random = random_for("MovesRowsThatBeginAnywhere");
  int moved = 0;
  for (const auto type :
       {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64})
    for (const index_t n : {24, 37, 257, 1100})
      for (const index_t neighbours : {33, 70, 257})
        for (const auto& [width, first] : {std::pair{1, 0}, {some_weights, -2}}) {
          const std::size_t size = tridia::size_of(type);
          const index_t row = neighbours + draw(random, 0, 3), outer = draw(random, 1, 5);
          if (row * static_cast<index_t>(size) % 16 == 0) continue;
          SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(outer) + " x " +
                       std::to_string(n) + " x " + std::to_string(neighbours) + " of " +
                       std::to_string(row) + " width " + std::to_string(width));
          planned_scan p{};
          p.task = scan_of_rows(type, outer, n, neighbours, row, draw(random, 0, 2), width, first);
          const auto shape = plan_scan(p.task, kScans);
          if (!shape) continue;
          p.shape = *shape;
          EXPECT_GT(shape->in_tile.log, 0);
          // Arrays may begin anywhere as well.
          along begun = p.task.lines.lines[layout::rhs];
          begun.origin = draw(random, 0, 3);
          p.task.lines.lines[layout::rhs] = begun;
          const field f(begun, p.task.lines.right_sides, layout::rhs, n, size, random);
          for (index_t o = 0; o < outer; ++o)
            for (index_t c = 0; c < neighbours; c += shape->lines)
              expect_phases_moved(p, f, o, c, o * neighbours + c, random);
          EXPECT_TRUE(f.unchanged());
          EXPECT_FALSE(layout_of(p, layout::x, f.pointer()));  // the TMA stores whole pieces
          ++moved;
          if (HasFailure()) return;
        }
  EXPECT_GT(moved, 30);
}

/// Checks interleaved systems in blocks, which are moved as
/// src/solver/cuda/partition/interleaved_tile.cuh does.
void expect_rows_moved(const geometry& g, const interleaved_shape& s, std::size_t size,
                       rng& random) {
  const layout::axes& m = g.matrices;
  const index_t neighbours = m.at[m.count - 1].extent, outer = m.size / neighbours;
  for (const auto a : {layout::sub, layout::diag, layout::sup, layout::rhs, layout::x}) {
    field f(g.lines[a], m, a, g.rows, size, random);
    const auto t = layout_of(g, s, size, a, f.pointer());
    ASSERT_TRUE(t);
    const auto words = static_cast<index_t>(size / t->word);
    const bool cut = g.corners != edge::inside;
    for (index_t o = 0; o < outer; ++o)
      for (index_t first = 0; first < neighbours; first += s.systems)
        for (index_t row0 = 0; row0 < s.rows; row0 += s.block_rows) {
          std::vector<std::byte> tile =
              random_bytes(static_cast<std::size_t>(s.block_rows * s.systems) * size, random);
          const auto at = [&](index_t row, index_t system) {
            return tile.data() + static_cast<std::size_t>(row * s.systems + system) * size;
          };
          const index_t rows = std::min<index_t>(s.block_rows, s.rows - row0);
          if (a == layout::x) {
            for (index_t k = 0; k < rows; k += s.box_rows)
              store_box(*t, first * words, row0 + k, o, at(k, 0));
          } else {
            for (index_t k = 0; k < s.block_rows; k += s.box_rows)
              load_box(at(k, 0), *t, first * words, row0 + k - (a == layout::sub && cut ? 1 : 0),
                       o);
          }
          for (index_t row = 0; row < (a == layout::x ? rows : s.block_rows); ++row)
            for (index_t system = 0; system < s.systems; ++system) {
              const bool outside = (a == layout::sub && row0 + row == 0) ||
                                   (a == layout::sup && row0 + row == s.rows - 1);
              const bool there = first + system < neighbours && row < rows && !(outside && cut);
              const index_t number = o * neighbours + first + system;
              if (a == layout::x) {
                if (there) f.expect_stored(number, row0 + row, at(row, system));
              } else if (there) {
                ASSERT_EQ(std::memcmp(at(row, system), f.element(number, row0 + row), size), 0)
                    << "array " << a << " system " << number << " row " << row0 + row;
              } else {
                ASSERT_TRUE(is_zero(at(row, system), size))
                    << "array " << a << " system " << number << " row " << row0 + row;
              }
            }
        }
    EXPECT_TRUE(f.unchanged()) << "array " << a;
  }
}

TEST(TensorLayout, MovesRowsOfSystems) {
  rng random = random_for("MovesRowsOfSystems");
  int moved = 0;
  for (const auto type : kTypes) {
    const std::size_t size = tridia::size_of(type);
    const auto granule = static_cast<index_t>(16 / size);
    for (const index_t n : {3, 4, 33, 100, 300, 1000})
      for (const index_t neighbours : {granule, 3 * granule, 36 * granule})
        for (const auto boundary : {tridia::boundary::regular, tridia::boundary::periodic})
          for (const auto op : {tridia::operation::none, tridia::operation::transpose}) {
            const index_t gap = granule * draw(random, 0, 2), row = neighbours + gap;
            const index_t outer = flip(random) ? 1 : 3;
            std::vector<index_t> strides{n * row + 2 * gap, row, 1};
            tridia::problem p{.type = type,
                              .extents = {outer, n, neighbours},
                              .axis = 1,
                              .boundary = boundary,
                              .operation = op};
            p.dl_strides = p.d_strides = p.du_strides = p.rhs_strides = p.x_strides = strides;
            const auto task = task_of(p);
            const auto s = plan_interleaved(task, {}, kHopper);
            if (!s || !loads_boxes(task.geometry, *s, size)) continue;
            ++moved;
            SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(outer) + " x " +
                         std::to_string(n) + " x " + std::to_string(neighbours) + " + " +
                         std::to_string(gap) + (op == tridia::operation::none ? "" : " T"));
            expect_rows_moved(task.geometry, *s, size, random);
            if (HasFailure()) return;
          }
  }
  EXPECT_GT(moved, 150);
}

/// Returns one axis of lines, `stride` elements apart in every array.
layout::axes one_axis(index_t extent, index_t stride) {
  layout::axes m{.count = 1, .size = extent, .at = {}};
  m.at[0].extent = extent;
  std::fill(std::begin(m.at[0].stride), std::end(m.at[0].stride), stride);
  return m;
}

TEST(TensorLayout, LeavesLinesThatTheEngineDoesNotTake) {
  alignas(16) const double data[64] = {};
  const auto lines = [&](const layout::axes& m, index_t rows = 32, int count = 4, int pitch = 34,
                         const void* first = nullptr, std::size_t size = 8) {
    return layout_of_lines(m, layout::x, first ? first : data, rows, count, pitch, size)
        .has_value();
  };
  constexpr index_t kMost = std::numeric_limits<int>::max();
  EXPECT_TRUE(lines(one_axis(10, 34)));
  EXPECT_TRUE(lines(one_axis(1, 34)));
  EXPECT_TRUE(lines(one_axis(kMost, 34)));
  EXPECT_FALSE(lines(one_axis(kMost + 1, 34)));  // places are ints
  EXPECT_FALSE(lines(one_axis(index_t{1} << 33, 34)));
  EXPECT_FALSE(lines(one_axis(0, 34)));
  EXPECT_FALSE(lines(one_axis(10, 35)));  // every other line is not aligned
  EXPECT_FALSE(lines(one_axis(10, -34)));
  EXPECT_FALSE(lines(one_axis(10, 0)));
  EXPECT_TRUE(lines(one_axis(10, (index_t{1} << 37) - 2)));
  EXPECT_FALSE(lines(one_axis(10, index_t{1} << 37)));  // 2^40 bytes
  EXPECT_FALSE(lines(one_axis(10, 34), 31));            // half a granule would be stored
  EXPECT_FALSE(lines(one_axis(10, 34), 32, 4, 33));
  EXPECT_FALSE(lines(one_axis(10, 34), 32, 257));
  EXPECT_TRUE(lines(one_axis(10, 34), 32, 256, 256));
  EXPECT_FALSE(lines(one_axis(10, 34), 32, 4, 258));
  EXPECT_FALSE(lines(one_axis(10, 34), 32, 4, 34, data + 1));
  EXPECT_TRUE(lines(one_axis(10, 34), 32, 4, 34, data + 2));
  EXPECT_TRUE(lines(one_axis(10, 34), 32, 4, 128, data, 16));
  EXPECT_FALSE(lines(one_axis(10, 34), 32, 4, 129, data, 16));  // two words each
  layout::axes two = one_axis(10, 34);
  two.count = 2;
  EXPECT_FALSE(lines(two));
  two.count = 0;
  EXPECT_FALSE(lines(two));
}

TEST(TensorLayout, LeavesRowsThatTheEngineDoesNotTake) {
  alignas(16) const float data[64] = {};
  const auto rows = [&](index_t extent, index_t row, layout::array a = layout::rhs,
                        index_t neighbour = 1, int systems = 32, const void* first = nullptr) {
    return layout_of_rows(one_axis(extent, neighbour), a, {0, row}, first ? first : data, 10,
                          systems, 10, 4)
        .has_value();
  };
  EXPECT_TRUE(rows(100, 100));
  EXPECT_TRUE(rows(100, 104));
  EXPECT_FALSE(rows(100, 102));
  EXPECT_FALSE(rows(100, -100));
  EXPECT_FALSE(rows(100, 0));
  EXPECT_FALSE(rows(100, 100, layout::rhs, 2));
  EXPECT_FALSE(rows(100, 100, layout::rhs, -1));
  EXPECT_FALSE(rows(100, 100, layout::rhs, 1, 32, data + 1));
  EXPECT_FALSE(rows(100, 100, layout::rhs, 1, 2));  // boxes of 8 bytes a row
  // Elements beyond are read and ignored, but stores move whole granules.
  EXPECT_TRUE(rows(97, 100));
  EXPECT_FALSE(rows(97, 100, layout::x));
  EXPECT_TRUE(rows(96, 100, layout::x));
  constexpr index_t kMost = std::numeric_limits<int>::max();
  EXPECT_TRUE(rows(kMost - 3, kMost + 1));
  EXPECT_FALSE(rows(kMost + 1, kMost + 1));
}

}  // namespace
}  // namespace tridia_test
