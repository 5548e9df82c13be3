// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of the kernels that form the gradients of a matrix.
#include "small/plans.hpp"
#include "support/backward_experiment.hpp"

namespace tridia_test {
namespace {

using tridia::coefficients;
using tridia::cotangents;
using tridia::operation;
using tridia::problem;

const kernel kOnchip{"onchip", "onchip_kernel"};
const kernel kRows{"band_products", "bands_of_rows_kernel"};
const kernel kSumsOfRows{"band_products", "sums_of_rows_kernel"};
const kernel kLines{"band_products", "bands_of_lines_kernel"};
const kernel kSumsOfLines{"band_products", "sums_of_lines_kernel"};
const kernel kSumsAcross{"band_products", "sums_across_lines_kernel"};
const kernel kAdd{"band_products", "add_partial_sums_kernel"};

problem shared(std::vector<index_t> extents, int axis) {
  problem p{.extents = std::move(extents), .axis = axis};
  p.coefficients = coefficients::shared;
  return p;
}

std::vector<small_case> cases() {
  std::vector<small_case> all;
  // The kernel that solves forms the gradients: of concatenated lines, of lines of a warp or less,
  // of some warps, and of a cluster.
  const auto add_formed = [&](const char* name, problem p, const kernel& k) {
    small_case one{name, std::move(p), {k}};
    one.reason = "in the same launch";
    add_variants(all, one);
  };
  add_formed("along", {.extents = {3, 37}}, kOnchip);
  add_formed("along_transposed", {.extents = {3, 37}, .operation = operation::transpose}, kOnchip);
  add_formed("short", {.extents = {40, 5}, .operation = operation::transpose}, kOnchip);
  add_formed("some_warps", {.extents = {2, 1400}}, kOnchip);
  add_formed("long", {.extents = {1, 9000}}, kOnchip);

  // They are formed afterwards where neighbours lie in another block, where lines lie side by side,
  // and where they are sums.
  const variants of{.pivotings = {tridia::pivoting::none}};
  add_variants(
      all, {"long_transposed", {.extents = {1, 9000}, .operation = operation::transpose}, {kRows}},
      of);
  add_variants(all, {"ragged", {.extents = {80}, .offsets = {0, 17, 17, 20, 80}}, {kRows}}, of);
  add_variants(all, {"interleaved", {.extents = {21, 40}, .axis = 0}, {kLines}}, of);
  add_variants(all,
               {"middle",
                {.extents = {3, 9, 40}, .axis = 1, .operation = operation::conjugate_transpose},
                {kLines}},
               of);
  add_variants(all, {"sides", {.extents = {3, 20}, .right_hand_sides = 3}, {kSumsOfRows}}, of);
  add_variants(
      all,
      {"sides_interleaved", {.extents = {9, 40}, .axis = 0, .right_hand_sides = 3}, {kSumsOfLines}},
      of);
  add_variants(all, {"shared", shared({64, 9}, 1), {kSumsOfRows, kAdd}}, of);
  add_variants(all, {"shared_few", shared({3, 9}, 1), {kSumsOfRows}}, of);
  add_variants(all, {"shared_interleaved", shared({9, 40}, 0), {kSumsAcross}}, of);
  add_variants(all, {"shared_many", shared({5, 600}, 0), {kSumsAcross, kAdd}}, of);
  problem rows{.extents = {6, 9}};
  rows.dl_strides = rows.d_strides = rows.du_strides = {1, 0};
  add_variants(all, {"broadcast_along_rows", rows, {kRows, kAdd}}, of);
  return all;
}

class SmallBackward : public ::testing::TestWithParam<small_case> {};

TEST_P(SmallBackward, Gradients) {
  const small_case& c = GetParam();
  const stream_handle stream = make_stream();
  run_options how = c.how;
  how.backend = tridia::backend::cuda;
  how.stream = stream.get();
  how.guard = 0;  // what is beyond an array's end is beyond its memory's
  backward_experiment e(c.problem, cotangents::linear, how);
  SCOPED_TRACE(describe(c.problem) + "; " + e.plan().reason());
  if (have_clusters()) {
    EXPECT_NE(e.plan().reason().find(c.reason), std::string::npos) << c.reason;
  }
  rng random = random_for(label(c));
  ASSERT_EQ(e.start(random), "");
  ASSERT_EQ(e.run(), "");
  ASSERT_EQ(e.check(), "");
  expect_kernels(stream.get(), c.kernels, [&] { e.enqueue(stream.get()); });
  e.want(false, true, false);
  ASSERT_EQ(e.run(), "");
  ASSERT_EQ(e.check(), "");
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallBackward);
INSTANTIATE_TEST_SUITE_P(All, SmallBackward, ::testing::ValuesIn(on_gpu(cases)), case_name);

}  // namespace
}  // namespace tridia_test
