// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Neighbouring systems share vectors of a CPU. These tests solve as many as fill some of the lanes
// of the last one, on arrays around which nothing may be read or written, and compare them with
// the reference; and they move rows of vectors that this file is compiled for.
#include <gtest/gtest.h>

#include <vector>

#define TRIDIA_ISA of_this_test
#include "cpu/strided_lanes.hpp"
#include "support/layout.hpp"
#include "support/random.hpp"
#include "support/twin.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::problem;
using tridia::value_type;

void expect_as_reference(const problem& p, rng& random) {
  for (const bool factored : {false, true}) {
    twin t(p, {.backend = tridia::backend::cpu, .factored = factored, .status = flip(random)});
    SCOPED_TRACE(describe(p));
    t.fill(random, p.pivoting == tridia::pivoting::partial ? 3 : 0);
    EXPECT_EQ(t.run(), "");
  }
}

TEST(PartialGroups, AgreeWithTheReference) {
  constexpr index_t kRows = 41, kMostLanes = 32;  // of f32 in two vectors of 64 bytes
  rng random = random_for("PartialGroups");
  for (const auto type : {value_type::f32, value_type::f64, value_type::c64, value_type::c128})
    for (index_t beside = 1; beside <= kMostLanes + 5; ++beside)
      for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial}) {
        problem p{.type = type, .extents = {kRows, beside}, .axis = 0, .pivoting = pivoting};
        expect_as_reference(p, random);
        // The last tile of a plane, and lanes that are apart in one of the arrays.
        p.extents = {2, kRows, beside}, p.axis = 1;
        p.rhs_strides = {2 * kRows * beside, 2 * beside, 2};
        expect_as_reference(p, random);
        if (HasFailure()) return;
      }
}

/// Moves rows of `live` systems that are `apart` elements from each other; the other lanes have the
/// first one.
template <class R, int Lanes, int Width>
void expect_moved(int live, index_t apart, index_t step, index_t rows) {
  using lanes_of = tridia::cpu::of_this_test::strided_lanes<R, 1, Lanes, Width>;
  const auto end = static_cast<std::size_t>((rows - 1) * step + (live - 1) * apart + 1);
  index_t line[Lanes];
  for (int l = 0; l < Lanes; ++l) line[l] = l < live ? l * apart : 0;
  std::vector<R> from(end), to(end, R(-1)), expected = to;
  for (std::size_t i = 0; i < end; ++i) from[i] = static_cast<R>(i);
  std::vector<R> tile(static_cast<std::size_t>(rows * Lanes));
  lanes_of(from.data(), line, step).load(tile.data(), 0, rows);
  lanes_of(to.data(), line, step).store(tile.data(), 0, rows, live, false);
  for (index_t k = 0; k < rows; ++k)
    for (int l = 0; l < Lanes; ++l) {
      const auto at = static_cast<std::size_t>(line[l] + k * step);
      ASSERT_EQ(tile[static_cast<std::size_t>(k * Lanes + l)], from[at])
          << live << ' ' << apart << ' ' << k << ' ' << l;
      if (l < live) expected[at] = from[at];
    }
  EXPECT_EQ(to, expected) << live << ' ' << apart;
}

template <class R, int Lanes, int Width>
void expect_all_moved() {
  rng random = random_for("PartialGroups.rows");
  for (int live = 1; live <= Lanes; ++live)
    for (const index_t apart : {1, 2})
      for (const index_t between : {0, 3}) {
        const index_t rows = draw(random, 1, 9);
        expect_moved<R, Lanes, Width>(live, apart, live * apart + between, rows);
      }
}

TEST(PartialGroups, RowsMoveWithoutTheirNeighbours) {
  expect_all_moved<double, 4, 2>();
  expect_all_moved<float, 8, 4>();
}

}  // namespace
}  // namespace tridia_test
