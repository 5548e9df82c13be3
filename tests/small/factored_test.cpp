// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of factors that are saved, and of one matrix for all systems, which is
// factored even if it is solved with once.
#include "small/plans.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::coefficients;
using tridia::problem;

const kernel kCopy{"copy_matrices", "for_each_kernel"};
const kernel kMerge{"statuses", "merge_statuses_kernel"};
const kernel kOnchip{"onchip", "onchip_kernel"};
const kernel kInterleaved{"interleaved", "interleaved_kernel"};
const kernel kBlockFactor{"block_factor", "block_factor_kernel"};
const kernel kThreadFactor{"thread_per_system", "factor_kernel"};
const kernel kOnChip{"substitute", "substitute_kernel"};
const kernel kThread{"thread_per_system", "substitute_kernel"};
const kernel kScan{"scan", "scan_kernel"};
const kernel kStatuses{"statuses", "enter_statuses_kernel"};
const kernel kShareNan{"statuses", "share_nan_kernel"};

run_options factors() { return {.factored = true}; }

problem shared(std::vector<index_t> extents, int axis) {
  problem p{.extents = std::move(extents), .axis = axis};
  p.coefficients = coefficients::shared;
  return p;
}

void add_own_matrices(std::vector<small_case>& all) {
  const variants regular{.boundaries = {boundary::regular}};
  problem sides{.extents = {5, 100}, .right_hand_sides = 3};
  add_variants(all, {"few", {.extents = {3, 100}}, {kCopy, kOnchip, kStatuses}, factors()});
  add_variants(all, {"short", {.extents = {40, 20}}, {kCopy, kOnchip}, factors()});
  add_variants(all,
               {"interleaved", {.extents = {20, 40}, .axis = 0}, {kCopy, kInterleaved}, factors()});
  add_variants(all,
               {"middle", {.extents = {3, 20, 40}, .axis = 1}, {kCopy, kInterleaved}, factors()});
  add_variants(all,
               {"ragged",
                {.extents = {300}, .offsets = {0, 17, 17, 200, 300}},
                {kThreadFactor, kThread},
                factors()},
               regular);
  add_variants(all,
               {"packed",
                {.extents = {60},
                 .offsets = {0, 40, 57, 60, 60},
                 .ragged_layout = tridia::ragged_layout::packed},
                {kThreadFactor, kThread},
                factors()},
               regular);
  add_variants(all, {"sides", sides, {kCopy, kOnchip, kMerge, kShareNan}, factors()});
  add_variants(all, {"sides_executed", sides, {kOnchip, kMerge, kShareNan}, {}, "broadcast"});
  run_options without_statuses = factors();
  without_statuses.status = false;
  add_variants(all, {"sides_without_statuses", sides, {kShareNan}, without_statuses});
}

/// Adds cases solved by substitution on chip; if a scan is possible, the GPU finds out whether it
/// is sound.
void add_one_matrix(std::vector<small_case>& all) {
  const variants regular{.boundaries = {boundary::regular}};
  const variants periodic{.boundaries = {boundary::periodic}};
  const std::vector<kernel> scanned{kBlockFactor, kScan, kStatuses};
  const struct {
    const char* name;
    problem p;
    kernel executing;  // few lines are not worth factoring a matrix
  } places[] = {{"one", shared({40, 200}, 1), kOnchip},
                {"one_interleaved", shared({200, 40}, 0), kInterleaved},
                {"one_middle", shared({3, 200, 20}, 1), kInterleaved}};
  for (const auto& [name, p, executing] : places) {
    const std::string text(name);
    add_variants(all, {text + "_scanned", p, scanned, factors(), "scan", true}, regular);
    add_variants(all, {text + "_executed", p, {executing}, {}, "broadcast"});
    // Most of these have rows interchanged, so that scans do nothing.
    add_variants(all, {text + "_substituted", p, scanned, factors(), "scan"}, regular);
    add_variants(all, {text + "_periodic", p, {kBlockFactor}, factors()}, periodic);
  }
  add_variants(all, {"one_longer_periodic", shared({40, 300}, 1), {kCopy}, factors()}, periodic);
  add_variants(all, {"one_short", shared({40, 20}, 1), {kOnChip}, factors(), "on chip"});
  add_variants(all, {"one_line", shared({1, 300}, 1), {kOnchip}, {}, "broadcast"});
  add_variants(all,
               {"one_short_interleaved", shared({20, 40}, 0), {kOnChip}, factors(), "on chip"});
  problem sides = shared({20, 200}, 1);
  sides.right_hand_sides = 3;
  add_variants(all, {"one_of_sides", sides, scanned, factors(), "scan", true}, regular);
}

std::vector<small_case> cases() {
  std::vector<small_case> all;
  add_own_matrices(all);
  add_one_matrix(all);
  return all;
}

class SmallFactored : public ::testing::TestWithParam<small_case> {};
TEST_P(SmallFactored, Solves) { expect_small_case(GetParam()); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallFactored);
INSTANTIATE_TEST_SUITE_P(All, SmallFactored, ::testing::ValuesIn(on_gpu(cases)), case_name);

}  // namespace
}  // namespace tridia_test
