// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests check the shapes of substitutions on a GPU, which are chosen on the host, and so
// tested without a GPU.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "solver/cuda/factored/substitute.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::cuda::plan_substitution;
using tridia::cuda::substitute_shape;
using tridia::cuda::system_copy;
using tridia::gpu::device_limits;

constexpr device_limits kHopper{.shared_bytes = 227 << 10, .multiprocessors = 132},
    kAmpere{.shared_bytes = 99 << 10, .multiprocessors = 84};

std::vector<tridia::problem> problems() {
  std::vector<tridia::problem> all;
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64, tridia::value_type::c64,
                          tridia::value_type::c128})
    for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial})
      for (const auto boundary : {tridia::boundary::regular, tridia::boundary::periodic})
        for (const auto kind : {tridia::coefficients::shared, tridia::coefficients::per_system})
          for (const index_t systems : {1, 70, 100'000})
            for (index_t n = 1; n <= 40'000; n = n < 40 ? n + 1 : n * 9 / 8)
              for (const bool contiguous : {true, false}) {
                tridia::problem p{.type = type, .extents = {systems, n}, .boundary = boundary};
                p.pivoting = pivoting, p.coefficients = kind;
                if (!contiguous) p.extents = {n, systems}, p.axis = 0;
                all.push_back(p);
              }
  return all;
}

void expect_sound(const system_copy& c, const substitute_shape& s) {
  EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(c.lanes)));
  EXPECT_LE(c.lanes, 32);
  if (c.interleaved) {
    EXPECT_GE(c.lanes, s.systems);
  }
  EXPECT_FALSE(c.wide && c.interleaved == s.lines);
}

void expect_sound(const tridia::problem& p, const device_limits& limits) {
  const auto found = plan_substitution(task_of(p), limits);
  if (!found) return;
  const substitute_shape& s = *found;
  const auto bytes = static_cast<int>(tridia::size_of(p.type));
  EXPECT_LE(s.shared_bytes, limits.shared_bytes);
  EXPECT_GE(s.warps, 1);
  EXPECT_LE(s.warps, 8);
  EXPECT_GE(s.systems, 1);
  EXPECT_LE(s.systems, 32);
  // The first and the last row of every system are in the tile, and no system is in another.
  const int last = (s.rows - 1) * s.row_step + (s.systems - 1) * s.pitch;
  EXPECT_LT(s.front + last, s.tile);
  EXPECT_TRUE(s.lines ? s.row_step == 1 && s.pitch > s.rows
                      : s.pitch == 1 && s.row_step == s.systems);
  // Copies of 16 bytes.
  EXPECT_EQ(s.tile * bytes % 16, 0);
  if (s.lines || s.input.wide) {
    EXPECT_EQ(s.front * bytes % 16, 0);
  }
  if (s.lines) {
    EXPECT_EQ(s.pitch * bytes % 16, 0);
  }
  if (s.loading > 0) {
    EXPECT_EQ(s.warps % s.loading, 0);
    EXPECT_LE(2 * s.loading, s.warps);
  }
  expect_sound(s.input, s);
  expect_sound(s.output, s);
}

TEST(SubstituteShape, IsSoundForEveryProblem) {
  for (const tridia::problem& p : problems())
    for (const device_limits& limits : {kHopper, kAmpere}) {
      expect_sound(p, limits);
      if (::testing::Test::HasFailure())
        FAIL() << name(p.type) << ' ' << name(p.pivoting) << ' ' << name(p.boundary) << " extents "
               << p.extents[0] << " x " << p.extents[1];
    }
}

TEST(SubstituteShape, StagesTheFactorsOfOneMatrix) {
  tridia::problem p{.extents = {100'000, 512}, .coefficients = tridia::coefficients::shared};
  EXPECT_TRUE(plan_substitution(task_of(p), kHopper)->factors_in_shared);
  p.coefficients = tridia::coefficients::per_system;
  EXPECT_FALSE(plan_substitution(task_of(p), kHopper)->factors_in_shared);
}

TEST(SubstituteShape, KeepsNeighboursInMemoryTogether) {
  tridia::problem p{.extents = {100'000, 512}, .coefficients = tridia::coefficients::shared};
  EXPECT_TRUE(plan_substitution(task_of(p), kHopper)->lines);
  p.extents = {512, 100'000}, p.axis = 0;
  const auto rows = plan_substitution(task_of(p), kHopper);
  EXPECT_FALSE(rows->lines);
  EXPECT_TRUE(rows->input.wide);
}

TEST(SubstituteShape, LeavesWhatDoesNotPayToAThreadASystem) {
  tridia::problem p{.extents = {100'000, 16'384}, .coefficients = tridia::coefficients::shared};
  EXPECT_FALSE(plan_substitution(task_of(p), kHopper));
  p.extents = {4096, 100'000}, p.axis = 0;
  EXPECT_FALSE(plan_substitution(task_of(p), kHopper));
  EXPECT_FALSE(plan_substitution(task_of({.extents = {512, 100'000}, .axis = 0}), kHopper));
}

TEST(SubstituteShape, SpreadsFewSystemsOverTheDevice) {
  const tridia::problem p{.extents = {132 * 4, 512}, .coefficients = tridia::coefficients::shared};
  EXPECT_EQ(plan_substitution(task_of(p), kHopper)->systems, 1);
}

}  // namespace
}  // namespace tridia_test
