// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/slabs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

namespace tridia::cli {
namespace {

using shape = std::vector<index_t>;

systems match(const npy_header& coefficient, const npy_header& rhs, int axis) {
  return match_arrays({coefficient, coefficient, coefficient, rhs}, {.axis = axis});
}

systems dense(shape extents, int axis, bool fortran_order = false) {
  const npy_header a{value_type::f64, fortran_order, std::move(extents), 128};
  return match(a, a, axis);
}

/// Counts how often each byte of a file's data belongs to a slab.
std::map<std::size_t, int> bytes_used(const systems& all, const slabs& parts, array_role role) {
  std::map<std::size_t, int> used;
  for (index_t k = 0; k < parts.count(); ++k) {
    const region r = region_of(all, role, parts[k]);
    for_each_run(r, [&](std::size_t offset) {
      for (std::size_t b = 0; b < r.run; ++b) ++used[offset + b];
    });
  }
  return used;
}

TEST(Slabs, OneIfAllFits) {
  const systems all = dense({3, 4, 5}, 1);
  const slabs parts(all, 15);
  ASSERT_EQ(parts.count(), 1);
  EXPECT_EQ(parts[0].extents, (shape{3, 4, 5}));
  EXPECT_EQ(region_of(all, role_rhs, parts[0]).run, 60u * 8);
}

TEST(Slabs, CutTheBatchAxisOfTheLargestStride) {
  EXPECT_EQ(slabs(dense({6, 4, 5}, 1), 10)[1].first, (shape{2, 0, 0}));
  EXPECT_EQ(slabs(dense({6, 4, 5}, 0), 10)[1].first, (shape{0, 2, 0}));
  EXPECT_EQ(slabs(dense({6, 4, 5}, 1, true), 12)[1].first, (shape{0, 0, 2}));
  EXPECT_EQ(slabs(dense({6, 4, 5}, 2, true), 12)[1].first, (shape{0, 2, 0}));
}

TEST(Slabs, GoDeeperIfOneEntryIsTooLarge) {
  const slabs parts(dense({2, 100, 7}, 2), 30);
  EXPECT_EQ(parts.count(), 8);
  EXPECT_EQ(parts[3].first, (shape{0, 90, 0}));
  EXPECT_EQ(parts[3].extents, (shape{1, 10, 7}));
  EXPECT_EQ(parts[4].first, (shape{1, 0, 0}));
}

TEST(Slabs, HoldEverySystemOnceAndNoMoreThanAllowed) {
  for (const bool fortran : {false, true}) {
    for (int axis = 0; axis < 3; ++axis) {
      const systems all = dense({3, 4, 5}, axis, fortran);
      for (index_t at_most = 1; at_most <= 21; ++at_most) {
        const slabs parts(all, at_most);
        for (index_t k = 0; k < parts.count(); ++k) {
          index_t held = 1;
          for (const index_t extent : parts[k].extents) held *= extent;
          EXPECT_LE(held / all.rows(), at_most);
        }
        const auto used = bytes_used(all, parts, role_rhs);
        EXPECT_EQ(used.size(), 60u * 8);
        for (const auto& [byte, times] : used) EXPECT_EQ(times, 1) << byte;
      }
    }
  }
}

TEST(Slabs, CutARaggedBatchBetweenSystems) {
  const shape offsets{0, 3, 3, 20, 21, 61, 69};
  for (const bool short_ones : {false, true}) {
    const npy_header rhs{value_type::f64, false, {69}, 128}, off{value_type::f64, false, {64}, 128};
    const npy_header& dl = short_ones ? off : rhs;
    const systems all = match_arrays({dl, rhs, dl, rhs}, {.offsets = offsets});
    ASSERT_EQ(all.count(), 6);
    ASSERT_EQ(all.rows(), 40);
    EXPECT_EQ(all.bytes_moved(), 5u * 69 * 8);  // a word of each array for every row
    for (index_t at_most = 1; at_most <= 7; ++at_most) {
      const slabs parts(all, at_most);
      index_t next = 0;
      for (index_t k = 0; k < parts.count(); ++k) {
        const slab part = parts[k];
        EXPECT_EQ(part.system, next);
        EXPECT_LE(part.systems, at_most);
        next += part.systems;
        const problem p = slab_problem(all, part, false);
        EXPECT_EQ(static_cast<index_t>(p.offsets.size()), part.systems + 1);
        EXPECT_EQ(p.offsets.back(), p.extents[0]);
        EXPECT_EQ(system_number(all, part, part.systems - 1), next - 1);
      }
      EXPECT_EQ(next, 6);
      for (const array_role role : {role_dl, role_d, role_rhs, role_x}) {
        const auto used = bytes_used(all, parts, role);
        EXPECT_EQ(used.size(), (role == role_dl && short_ones ? 64u : 69u) * 8);
        for (const auto& [byte, times] : used) EXPECT_EQ(times, 1) << byte;
      }
    }
    EXPECT_EQ(slabs(all, 1).count(), 6);
    EXPECT_EQ(slabs(all, 6).count(), 1);
  }
}

TEST(Slabs, NumberSystemsInCOrder) {
  const systems all = dense({3, 4, 5}, 1, true);
  const slabs parts(all, 1);
  ASSERT_EQ(parts.count(), 15);
  for (index_t k = 0; k < parts.count(); ++k) {
    const slab part = parts[k];
    EXPECT_EQ(system_number(all, part, 0), part.first[0] * 5 + part.first[2]);
  }
  const slab part{{1, 0, 2}, {2, 4, 3}};
  EXPECT_EQ(system_number(all, part, 4), 2 * 5 + 3);
}

TEST(Slabs, NoneIfThereIsNothingToSolve) {
  EXPECT_EQ(slabs(dense({0, 4}, 1), 1).count(), 0);
  EXPECT_EQ(slabs(dense({4, 0}, 1), 1).count(), 0);
  EXPECT_EQ(slabs(dense({4}, 0), 1).count(), 1);
}

TEST(Regions, OfBroadcastArraysAreReadBySeveralSlabs) {
  const npy_header rhs{value_type::f32, false, {4, 3, 5}, 128};
  const systems all = match({value_type::f32, false, {1, 3, 5}, 128}, rhs, 2);
  const slabs parts(all, 3);
  ASSERT_EQ(parts.count(), 4);
  const region r = region_of(all, role_d, parts[3]);
  EXPECT_EQ(r.first, 0u);
  EXPECT_EQ(r.run, 15u * 4);
  EXPECT_EQ(r.runs(), 1);
}

TEST(Regions, RepeatWhereTheSolveAxisIsOutermost) {
  const systems all = dense({6, 4, 5}, 0);
  const slabs parts(all, 10);
  const region r = region_of(all, role_rhs, parts[1]);
  EXPECT_EQ(r.first, 10u * 8);
  EXPECT_EQ(r.run, 10u * 8);
  ASSERT_EQ(r.levels.size(), 1u);
  EXPECT_EQ(r.levels[0].count, 6);
  EXPECT_EQ(r.levels[0].step, 20u * 8);
}

TEST(SlabProblem, StridesOfFilesOrOfPackedCopies) {
  const systems all = dense({6, 4, 5}, 0, true);
  const slab part = slabs(all, 8)[1];
  EXPECT_EQ(part.extents, (shape{6, 4, 2}));
  EXPECT_EQ(slab_problem(all, part, false).rhs_strides, (shape{1, 6, 24}));
  EXPECT_EQ(slab_problem(all, part, true).rhs_strides, (shape{1, 6, 24}));
  const systems rows = dense({6, 4, 5}, 0);
  const slab middle = slabs(rows, 10)[1];
  EXPECT_EQ(slab_problem(rows, middle, false).x_strides, (shape{20, 5, 1}));
  EXPECT_EQ(slab_problem(rows, middle, true).x_strides, (shape{10, 5, 1}));
}

/// Copies every region of every slab one stretch after another, and looks each element up there.
void check_packed(const systems& all, std::size_t file_elements, array_role role,
                  const std::vector<index_t> problem::*strides) {
  std::vector<double> file(file_elements);
  std::iota(file.begin(), file.end(), 0);
  const slabs parts(all, 7);
  for (index_t k = 0; k < parts.count(); ++k) {
    const slab part = parts[k];
    const region r = region_of(all, role, part);
    std::vector<double> packed;
    for_each_run(r, [&](std::size_t offset) {
      const auto first = file.begin() + static_cast<std::ptrdiff_t>(offset / sizeof(double));
      packed.insert(packed.end(), first,
                    first + static_cast<std::ptrdiff_t>(r.run / sizeof(double)));
    });
    ASSERT_EQ(packed.size() * sizeof(double), r.bytes());
    const shape in_file = slab_problem(all, part, false).*strides;
    const shape in_packed = slab_problem(all, part, true).*strides;
    const auto first = static_cast<index_t>(r.first / sizeof(double));
    for (index_t a = 0; a < part.extents[0]; ++a) {
      for (index_t b = 0; b < part.extents[1]; ++b) {
        for (index_t c = 0; c < part.extents[2]; ++c) {
          EXPECT_EQ(packed.at(a * in_packed[0] + b * in_packed[1] + c * in_packed[2]),
                    file.at(first + a * in_file[0] + b * in_file[1] + c * in_file[2]));
        }
      }
    }
  }
}

TEST(SlabProblem, PackedCopiesHoldTheSameElements) {
  for (const bool rhs_fortran : {false, true}) {
    const npy_header rhs{value_type::f64, rhs_fortran, {3, 4, 5}, 0};
    for (const bool fortran : {false, true}) {
      for (const shape& extents :
           {shape{3, 4, 5}, shape{1, 4, 5}, shape{3, 1, 5}, shape{1, 1, 5}}) {
        const npy_header d{value_type::f64, fortran, extents, 0};
        const systems all = match(d, rhs, 2);
        check_packed(all, npy_data_bytes(d) / 8, role_d, &problem::d_strides);
        check_packed(all, 60, role_x, &problem::x_strides);
      }
      for (int axis = 0; axis < 3; ++axis) {
        const systems all = match({value_type::f64, fortran, {3, 4, 5}, 0}, rhs, axis);
        check_packed(all, 60, role_du, &problem::du_strides);
        check_packed(all, 60, role_rhs, &problem::rhs_strides);
      }
    }
  }
}

}  // namespace
}  // namespace tridia::cli
