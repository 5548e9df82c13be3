// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of `automatic` for systems with their own coefficients: every layout and
// class of lengths, in every shape of block and cluster that plans choose.
#include "small/plans.hpp"
#include "support/oracle.hpp"
#include "support/segments.hpp"
#include "support/targets.hpp"
#include "tridia/info.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::coefficients;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;

const kernel kOnchip{"onchip", "onchip_kernel"};
const kernel kInterleaved{"interleaved", "interleaved_kernel"};
const kernel kShort{"short_systems", "solve_short_systems"};
const kernel kThread{"thread_per_system", "solve_kernel"};
constexpr pivoting kPivotings[] = {pivoting::none, pivoting::partial};

/// Returns the number of rows that makes a line of each type as long as `n` rows of f64.
index_t rows_like(index_t n, value_type type) {
  return n * 8 / static_cast<index_t>(size_of(type));
}

problem padded(index_t systems, index_t n, index_t pitch) {
  return {.extents = {systems, n}, .rhs_strides = {pitch, 1}, .x_strides = {pitch, 1}};
}

/// Returns options with a tuning table, which asks for what a kernel would otherwise do only with
/// many rows or systems.
run_options tuned(const problem& p, const char* kernel_name, const std::vector<int>& values) {
  const tridia::cuda_device device = tridia::query_system().cuda_devices.at(0);
  auto table = std::make_shared<tridia::tuning_table>();
  const bool interleaved = p.axis == 0;
  for (const value_type type : kTypes)
    for (const pivoting pivots : kPivotings)
      table->add({10 * device.compute_capability_major + device.compute_capability_minor,
                  kernel_name, type, pivots, interleaved, p.extents[interleaved ? 0 : 1], values});
  return {.tuning = table};
}

void add_in_memory_order(std::vector<small_case>& all) {
  const variants regular{.boundaries = {boundary::regular}};
  const variants periodic{.boundaries = {boundary::periodic}};
  const std::string concatenated = "concatenated";
  add_variants(all, {"joined", {.extents = {40, 20}}, {kOnchip}, {}, concatenated}, regular);
  add_variants(all,
               {"joined_transposed",
                {.extents = {9, 100}, .operation = tridia::operation::conjugate_transpose},
                {kOnchip},
                {},
                concatenated},
               regular);
  add_variants(all,
               {"ragged",
                {.extents = {700}, .offsets = {0, 170, 171, 171, 400, 700}},
                {kOnchip},
                {},
                concatenated},
               regular);
  add_variants(all, {"in_pieces", {.extents = {10, 33}}, {kOnchip}, {}, "in one piece"}, periodic);
  add_variants(all, {"one_by_one", padded(5, 19, 21), {kOnchip}}, {});
  add_variants(all, {"in_lines", padded(6, 200, 208), {kOnchip}, {}, "a system at a time"}, {});
  for (const value_type type : kTypes) {
    // Lines of 256 to 512 bytes are moved as boxes.
    const index_t n = rows_like(40, type);
    add_variants(all, {"in_boxes", padded(6, n, n + 8), {kOnchip}, {}, "in boxes of systems"},
                 {.types = {type}});
  }
  const problem two = padded(3, 300, 320), eight = padded(3, 1200, 1216), odd = padded(3, 301, 303);
  add_variants(
      all,
      {"cluster_of_2", two, {kOnchip}, tuned(two, "onchip", {0, 0, 2}), "a cluster of 2 blocks"});
  add_variants(all, {"cluster_of_8",
                     eight,
                     {kOnchip},
                     tuned(eight, "onchip", {0, 0, 8}),
                     "a cluster of 8 blocks"});
  add_variants(all, {"cluster_one_by_one",
                     odd,
                     {kOnchip},
                     tuned(odd, "onchip", {0, 0, 2}),
                     "a cluster of 2 blocks"});
  add_variants(all, {"long", {.extents = {3, 6000}}, {kOnchip}, {}, "a cluster of"});
}

void add_interleaved(std::vector<small_case>& all) {
  const problem pair{.extents = {40, 40}, .axis = 0}, four{.extents = {300, 40}, .axis = 0},
      sixteen{.extents = {1100, 24}, .axis = 0}, odd{.extents = {301, 41}, .axis = 0},
      rounds{.extents = {5, 300}, .axis = 0};
  const auto shape = [](const problem& p, int systems, int blocks) {
    return tuned(p, "interleaved", {systems, blocks});
  };
  add_variants(all, {"interleaved", {.extents = {20, 40}, .axis = 0}, {kInterleaved}, {}, "lane"});
  add_variants(all, {"interleaved_groups", {.extents = {100, 40}, .axis = 0}, {kInterleaved}});
  add_variants(all, {"interleaved_middle", {.extents = {3, 40, 20}, .axis = 1}, {kInterleaved}});
  add_variants(all, {"interleaved_transposed",
                     {.extents = {33, 20}, .axis = 0, .operation = tridia::operation::transpose},
                     {kInterleaved}});
  add_variants(all, {"interleaved_one_by_one", {.extents = {20, 41}, .axis = 0}, {kInterleaved}});
  add_variants(all, {"interleaved_pairs", pair, {kInterleaved}, shape(pair, 4, 1)});
  add_variants(all, {"interleaved_cluster_of_4",
                     four,
                     {kInterleaved},
                     shape(four, 8, 4),
                     "a cluster of 4 blocks"});
  add_variants(all, {"interleaved_cluster_of_16",
                     sixteen,
                     {kInterleaved},
                     shape(sixteen, 8, 16),
                     "a cluster of 16 blocks"});
  add_variants(all, {"interleaved_cluster_one_by_one",
                     odd,
                     {kInterleaved},
                     shape(odd, 8, 4),
                     "a cluster of 4 blocks"});
  add_variants(all,
               {"interleaved_rounds", rounds, {kInterleaved}, shape(rounds, 64, 0), "in 2 rounds"},
               {.types = {value_type::f32}});
}

/// Adds cases of more tiles than a GPU holds at a time, which no small problem has.
void add_turns(std::vector<small_case>& all) {
  const std::string turns = "one after another";
  const variants f64{{value_type::f64}, {pivoting::none}, {boundary::regular}};
  const variants f32{{value_type::f32}, {pivoting::none}, {boundary::periodic}};
  add_variants(all, {"turns", {.extents = {250, 13'000}, .axis = 0}, {kInterleaved}, {}, turns},
               f64);
  add_variants(all, {"turns", {.extents = {250, 26'000}, .axis = 0}, {kInterleaved}, {}, turns},
               f32);
}

void add_segments(std::vector<small_case>& all) {
  const std::vector<kernel> passes{{"segments", "solve_segments"},
                                   {"segments", "close_level"},
                                   {"segments", "expand_segments"},
                                   {"segments", "fill_failed"}};
  add_variants(all, {"segments", {.extents = {3, 40'009}}, passes, {}, "in segments"});
  add_variants(
      all,
      {"segments_interleaved", {.extents = {40'009, 3}, .axis = 0}, passes, {}, "in segments"});
}

void add_short_systems(std::vector<small_case>& all) {
  const std::string several = "right-hand sides of a matrix";
  add_variants(all,
               {"short_sides", {.extents = {40, 5}, .right_hand_sides = 5}, {kShort}, {}, several});
  add_variants(all, {"short_sides_of_one",
                     {.extents = {4, 90}, .axis = 0, .coefficients = coefficients::shared},
                     {kShort},
                     {},
                     several});
}

std::vector<small_case> cases() {
  std::vector<small_case> all;
  add_in_memory_order(all);
  add_interleaved(all);
  add_turns(all);
  add_segments(all);
  add_short_systems(all);
  add_variants(all, {"thread", {.extents = {2, 40}, .axis = 0}, {kThread}, {}, "a thread a system"},
               {.boundaries = {boundary::periodic}});
  return all;
}

class SmallPartition : public ::testing::TestWithParam<small_case> {};
TEST_P(SmallPartition, Solves) { expect_small_case(GetParam()); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallPartition);
INSTANTIATE_TEST_SUITE_P(All, SmallPartition, ::testing::ValuesIn(on_gpu(cases)), case_name);

/// Returns cases with segments of a few rows, so that there are several levels above them.
std::vector<small_case> cases_of_levels() {
  std::vector<small_case> all;
  const std::vector<kernel> passes{{"segments", "solve_segments"},
                                   {"segments", "reduce_level"},
                                   {"segments", "close_level"},
                                   {"segments", "expand_level"},
                                   {"segments", "expand_segments"}};
  add_variants(all, {"levels", {.extents = {5, 193}}, passes});
  add_variants(all, {"levels_interleaved", {.extents = {193, 5}, .axis = 0}, passes});
  const problem boxes{.extents = {193, 16}, .axis = 0};
  add_variants(all, {"levels_in_boxes", boxes, passes},
               {.types = {value_type::f64, value_type::c64, value_type::c128}});
  add_variants(all, {"levels_in_boxes", boxes, passes},
               {.types = {value_type::f32}, .pivotings = {pivoting::partial}});
  std::vector<kernel> two_passes = passes;
  two_passes.front().name = "reduce_segments";
  add_variants(all, {"levels_in_boxes", boxes, two_passes},
               {.types = {value_type::f32}, .pivotings = {pivoting::none}});
  return all;
}

class SmallPartitionLevels : public ::testing::TestWithParam<small_case> {};

TEST_P(SmallPartitionLevels, Solve) {
  const stream_handle stream = make_stream();
  experiment e(GetParam().problem, {.backend = tridia::backend::cuda, .status = false, .guard = 0});
  segment_passes passes(GetParam().problem, {8, 3, 2});
  ASSERT_TRUE(passes);
  rng random = random_for("SmallPartitionLevels");
  e.fill_matrices(random);
  e.fill_rhs(random);
  e.give();
  const auto enqueue = [&] { EXPECT_EQ(passes.enqueue(e, stream.get()), cudaSuccess); };
  enqueue();
  ASSERT_EQ(e.take(), "");
  EXPECT_EQ(check_solution(e, 0), "");
  expect_kernels(stream.get(), GetParam().kernels, enqueue);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallPartitionLevels);
INSTANTIATE_TEST_SUITE_P(All, SmallPartitionLevels, ::testing::ValuesIn(on_gpu(cases_of_levels)),
                         case_name);

}  // namespace
}  // namespace tridia_test
