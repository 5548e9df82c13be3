// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These problems are refused when a plan is made, each with a sentence that names the argument and
// both values.
#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "support/layout.hpp"
#include "support/refusal.hpp"
#include "support/targets.hpp"
#include "tridia/plan.hpp"

namespace tridia_test {
namespace {

using tridia::coefficients;
using tridia::errc;
using tridia::index_t;
using tridia::problem;
using tridia::ragged_layout;

constexpr index_t kHuge = index_t{1} << 40;
constexpr index_t kLargest = std::numeric_limits<index_t>::max();
constexpr index_t kSmallest = std::numeric_limits<index_t>::min();

struct bad_problem {
  const char* name;
  problem p;
  std::vector<std::string> words;  ///< The argument and both values.
};

const std::vector<bad_problem>& bad_problems() {
  static const std::vector<bad_problem> all = {
      {"NoAxes", {.extents = {}}, {"extents"}},
      {"NegativeExtent", {.extents = {5, -2}}, {"extents", "-2"}},
      {"AxisTooLarge", {.extents = {5, 4}, .axis = 2}, {"axis", "2", "(5, 4)"}},
      {"AxisTooSmall", {.extents = {5, 4}, .axis = -3}, {"axis", "-3", "(5, 4)"}},
      {"DlRank", {.extents = {5, 4}, .dl_strides = {1}}, {"dl_strides", "1", "2"}},
      {"DRank", {.extents = {5, 4}, .d_strides = {9, 9, 9}}, {"d_strides", "3", "2"}},
      {"DuRank", {.extents = {5, 4}, .du_strides = {9, 9, 9}}, {"du_strides", "3", "2"}},
      {"RhsRank", {.extents = {5, 4}, .rhs_strides = {9, 9, 9}}, {"rhs_strides", "3", "2"}},
      {"XRank", {.extents = {5, 4}, .x_strides = {9, 9, 9}}, {"x_strides", "3", "2"}},
      {"FirstOffset", {.extents = {9}, .offsets = {1, 9}}, {"offsets", "1", "0"}},
      {"OffsetsDecrease", {.extents = {9}, .offsets = {0, 6, 5, 9}}, {"offsets", "6", "5"}},
      {"LastOffset", {.extents = {9}, .offsets = {0, 6, 8}}, {"offsets", "8", "9"}},
      {"LastOffsetBeyond", {.extents = {9}, .offsets = {0, 6, 10}}, {"offsets", "10", "9"}},
      {"RaggedTwoAxes", {.extents = {5, 4}, .offsets = {0, 4}}, {"offsets", "(5, 4)"}},
      {"PaddedOneAxis",
       {.extents = {9}, .offsets = {0, 4, 9}, .ragged_layout = ragged_layout::padded},
       {"offsets", "padded", "two axes", "(9,)"}},
      {"PaddedSystems",
       {.extents = {5, 4}, .axis = 0, .offsets = {0, 5, 9}, .ragged_layout = ragged_layout::padded},
       {"offsets", "2 systems", "4", "axis 1"}},
      {"PaddedRows",
       {.extents = {3, 4}, .offsets = {0, 1, 6, 9}, .ragged_layout = ragged_layout::padded},
       {"extents", "4", "axis 1", "5"}},
      {"PackedUnsorted",
       {.extents = {9}, .offsets = {0, 4, 4, 9}, .ragged_layout = ragged_layout::packed},
       {"offsets", "system 2", "5", "0", "longest first"}},
      {"PackedTwoAxes",
       {.extents = {5, 4}, .offsets = {0, 5}, .ragged_layout = ragged_layout::packed},
       {"offsets", "packed", "(5, 4)"}},
      {"PackedLastOffset",
       {.extents = {8}, .offsets = {0, 5, 9}, .ragged_layout = ragged_layout::packed},
       {"offsets", "9", "8"}},
      {"LayoutWithoutOffsets",
       {.extents = {9}, .ragged_layout = ragged_layout::packed},
       {"ragged_layout", "packed", "offsets"}},
      {"LayoutUnknown",
       {.extents = {9}, .offsets = {0, 9}, .ragged_layout = ragged_layout{7}},
       {"ragged_layout", "7"}},
      {"RaggedShared",
       {.extents = {9}, .coefficients = coefficients::shared, .offsets = {0, 4, 9}},
       {"coefficients", "shared", "offsets"}},
      {"NegativeRightHandSides",
       {.extents = {5, 4}, .right_hand_sides = -1},
       {"right_hand_sides", "-1"}},
      {"RhsStep",
       {.extents = {5, 4}, .right_hand_sides = 3, .rhs_strides = {4, 1}},
       {"rhs_step", "rhs_strides", "3"}},
      {"XStep",
       {.extents = {5, 4}, .right_hand_sides = 3, .x_strides = {4, 1}},
       {"x_step", "x_strides", "3"}},
      {"SharedWithStrides",
       {.extents = {5, 4}, .coefficients = coefficients::shared, .d_strides = {4, 1}},
       {"d_strides", "4", "0", "shared"}},
      {"ShortPeriodic",
       {.extents = {5, 4}, .boundary = tridia::boundary::periodic, .short_off_diagonals = true},
       {"short_off_diagonals", "periodic"}},
      {"XStrideZero", {.extents = {5, 4}, .x_strides = {0, 1}}, {"x", "0, 1)", "5, 4)"}},
      {"XStrideZeroAlongAxis", {.extents = {5, 4}, .x_strides = {1, 0}}, {"x", "1, 0)"}},
      {"XOverlapsItself", {.extents = {5, 4}, .x_strides = {3, 1}}, {"x", "3", "4"}},
      {"XOverlapsItselfBackwards", {.extents = {5, 4}, .x_strides = {-3, 1}}, {"x", "-3", "4"}},
      {"XStepOverlaps",
       {.extents = {5, 4}, .right_hand_sides = 2, .x_strides = {4, 1}, .x_step = 19},
       {"x", "19", "20"}},
      {"RaggedXStrideZero", {.extents = {9}, .x_strides = {0}, .offsets = {0, 4, 9}}, {"x", "0"}},
      {"ExtentsOverflow", {.extents = {kHuge, kHuge}}, {"1099511627776"}},
      {"BytesOverflow", {.extents = {kLargest / 4}}, {std::to_string(kLargest / 4)}},
      {"LargestExtents", {.extents = {kLargest, kLargest}}, {std::to_string(kLargest)}},
      {"StrideOverflow",
       {.extents = {5, 4}, .d_strides = {kLargest, 1}},
       {"d", std::to_string(kLargest)}},
      {"SmallestStride",
       {.extents = {5, 4}, .rhs_strides = {kSmallest, 1}},
       {"rhs", std::to_string(kSmallest)}},
      {"RightHandSidesOverflow",
       {.extents = {5, kHuge}, .right_hand_sides = kHuge},
       {"1099511627776"}},
      {"StepOverflow",
       {.extents = {5, 4}, .right_hand_sides = 3, .rhs_step = kLargest},
       {"rhs", std::to_string(kLargest)}},
      {"UnknownType", {.type = tridia::value_type{77}, .extents = {5, 4}}, {"type", "77"}},
      {"UnknownBoundary",
       {.extents = {5, 4}, .boundary = tridia::boundary{77}},
       {"boundary", "77"}},
      {"UnknownPivoting",
       {.extents = {5, 4}, .pivoting = tridia::pivoting{77}},
       {"pivoting", "77"}},
      {"UnknownOperation",
       {.extents = {5, 4}, .operation = tridia::operation{77}},
       {"operation", "77"}},
      {"UnknownCoefficients",
       {.extents = {5, 4}, .coefficients = coefficients{77}},
       {"coefficients", "77"}},
  };
  return all;
}

void PrintTo(const bad_problem& b, std::ostream* out) { *out << describe(b.p); }

class BadProblem : public ::testing::TestWithParam<bad_problem> {};

TEST_P(BadProblem, IsRefused) {
  for (const tridia::backend b : backends())
    expect_refusal(errc::invalid_argument, GetParam().words,
                   [&] { tridia::plan(GetParam().p, {.backend = b}); });
}

INSTANTIATE_TEST_SUITE_P(All, BadProblem, ::testing::ValuesIn(bad_problems()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BadOptions, AreRefused) {
  const problem p{.extents = {5, 4}};
  expect_refusal(errc::invalid_argument, {"threads", "-1"},
                 [&] { tridia::plan(p, {.threads = -1}); });
  expect_refusal(errc::invalid_argument, {"backend", "77"},
                 [&] { tridia::plan(p, {.backend = tridia::backend{77}}); });
  expect_refusal(errc::invalid_argument, {"algorithm", "77"},
                 [&] { tridia::plan(p, {.algorithm = tridia::algorithm{77}}); });
}

TEST(BadOptions, CudaDevice) {
  const problem p{.extents = {5, 4}};
  const auto make = [&] { tridia::plan(p, {.backend = tridia::backend::cuda, .device = 99}); };
  if (have_gpu()) {
    expect_refusal(errc::invalid_argument, {"device", "99"}, make);
  } else {
    expect_refusal(errc::unsupported, {"cuda"}, make);
  }
}

// These problems are odd, but sound.
TEST(OddProblems, AreAccepted) {
  const std::vector<problem> all = {
      {.extents = {0}},
      {.extents = {0, 0, 0}, .axis = 1},
      {.extents = {5, 4}, .right_hand_sides = 0},
      {.extents = {5, 4}, .rhs_step = 7},
      {.extents = {0}, .offsets = {0}},
      {.extents = {0}, .offsets = {0, 0, 0}},
      {.extents = {1, 4}, .x_strides = {0, 1}},
      {.extents = {1, 4}, .x_strides = {kLargest / 64, 1}},
      {.extents = {5, 4}, .x_strides = {1, 5}},
      {.extents = {3, 2, 2}, .x_strides = {1, -8, 3}},
      {.extents = {1, 4}, .coefficients = coefficients::shared, .d_strides = {4, 1}},
      {.extents = {5, 1}, .short_off_diagonals = true},
      {.extents = {kHuge}},
  };
  for (const tridia::backend b : backends())
    for (const problem& p : all) {
      SCOPED_TRACE(describe(p));
      EXPECT_NO_THROW(tridia::plan(p, {.backend = b}));
    }
}

}  // namespace
}  // namespace tridia_test
