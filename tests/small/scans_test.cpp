// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of constant coefficients: scans of whole lines, moved in every way and with
// every number of chunks, and of parts of lines; and the kernels for lines that are not scanned.
#include "small/plans.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::near_toeplitz;
using tridia::problem;
using tridia::value_type;

const kernel kScan{"scan", "scan_kernel"};
const kernel kForEach{"split_scan", "for_each_kernel"};
const kernel kMergeParts{"split_scan", "merge_parts_kernel"};
const kernel kOnChip{"substitute", "substitute_kernel"};
const kernel kThread{"thread_per_system", "substitute_kernel"};
const kernel kStatuses{"statuses", "enter_statuses_kernel"};

/// Returns the left side of the sixth-order first derivative with its closures, or the circulant
/// one.
near_toeplitz matrix(index_t n, boundary ends) {
  near_toeplitz a{.interior = {1.0 / 3, 1, 1.0 / 3}};
  if (ends == boundary::periodic || n < 4) return a;
  a.head = {{7, 1, 2}, {0.25, 1, 0.25}};
  a.tail = {{0.25, 1, 0.25}, {2, 1, 7}};
  return a;
}

/// Adds a case for each type and boundary; `p` has neither.
void add(std::vector<small_case>& all, const std::string& name, problem p,
         const std::vector<kernel>& kernels, const char* reason, const variants& of = {}) {
  p.coefficients = tridia::coefficients::constant;
  const index_t n = p.axis < 0 ? p.extents.back() : p.extents[static_cast<std::size_t>(p.axis)];
  for (const boundary ends : of.boundaries) {
    p.matrix = matrix(n, ends);
    add_variants(all, {name, p, kernels, {}, reason},
                 {of.types, {tridia::pivoting::partial}, {ends}});
  }
}

problem padded(index_t lines, index_t n, index_t pitch) {
  return {.extents = {lines, n}, .rhs_strides = {pitch, 1}, .x_strides = {pitch, 1}};
}

void add_whole_lines(std::vector<small_case>& all) {
  const auto scan = [&](const std::string& name, const problem& p, const variants& of = {}) {
    add(all, name, p, {kScan}, "by a scan", of);
  };
  scan("dense", {.extents = {9, 32}});    // in one piece, or as boxes
  scan("boxes", padded(9, 64, 80));       // up to 768 bytes
  scan("lines", padded(5, 200, 208));     // longer
  scan("anywhere", padded(5, 301, 303));  // lines of which every piece is moved that they touch
  scan("one_by_one", {.extents = {5, 100}, .rhs_strides = {101, 1}, .x_strides = {102, 1}});
  scan("several_warps", {.extents = {3, 1089}});
  scan("interleaved", {.extents = {100, 96}, .axis = 0});
  scan("across_one_by_one", {.extents = {100, 37}, .axis = 0});
  scan("across_anywhere", {.extents = {300, 67}, .axis = 0});
  scan("middle_anywhere", {.extents = {3, 101, 67}, .axis = 1});
  scan("across_many_rows", {.extents = {400, 32}, .axis = 0});
  scan("middle", {.extents = {3, 60, 20}, .axis = 1});
  scan("turned", {.extents = {40, 6}, .axis = 0, .x_strides = {1, 40}});
  scan("backwards", {.extents = {4, 40}, .rhs_strides = {40, -1}, .x_strides = {40, -1}});
  // Lines of up to 8 rows have kernels of their own.
  scan("rows_6", {.extents = {41, 6}});
  scan("rows_6_interleaved", {.extents = {6, 150}, .axis = 0});
  // These fill no whole number of the TMA's granules.
  for (const index_t n : {24, 27, 31, 38}) scan("rows_" + std::to_string(n), {.extents = {7, n}});
  problem sides{.extents = {6, 40}, .right_hand_sides = 3};
  add(all, "sides", sides, {kScan, kStatuses}, "by a scan");
}

/// Sums over lines, parts, and statuses of lines from those of their parts.
void add_parts(std::vector<small_case>& all) {
  const std::vector<kernel> parts{kScan, kForEach, kMergeParts};
  add(all, "parts_interleaved", {.extents = {4608, 32}, .axis = 0}, parts, "in parts");
  add(all, "parts_uneven", {.extents = {4500, 33}, .axis = 0}, parts, "in parts");
  add(all, "parts_middle", {.extents = {3, 4608, 32}, .axis = 1}, parts, "in parts");
  // Statuses of few parts are merged by a thread for each line.
  add(all, "parts_along", {.extents = {3, 20'000}}, {kScan, kForEach}, "in parts",
      {.types = {value_type::f64}});
  add(all, "parts_along", {.extents = {3, 40'010}}, parts, "in parts",
      {.types = {value_type::f32}});
}

/// Adds lines that are too short for a scan, and are solved by substitution; and those of f32 whose
/// chunks are shorter.
void add_short_lines(std::vector<small_case>& all) {
  add(all, "short", padded(5, 12, 13), {kOnChip}, "on chip");
  add(all, "short_interleaved", {.extents = {12, 40}, .axis = 0}, {kScan}, "by a scan",
      {.types = {value_type::f32}});
  add(all, "thread", {.extents = {40, 2}}, {kThread}, "a thread a system",
      {.boundaries = {boundary::regular}});
}

std::vector<small_case> cases() {
  std::vector<small_case> all;
  add_whole_lines(all);
  add_parts(all);
  add_short_lines(all);
  return all;
}

class SmallScans : public ::testing::TestWithParam<small_case> {};
TEST_P(SmallScans, Solves) { expect_small_case(GetParam()); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallScans);
INSTANTIATE_TEST_SUITE_P(All, SmallScans, ::testing::ValuesIn(on_gpu(cases)), case_name);

}  // namespace
}  // namespace tridia_test
