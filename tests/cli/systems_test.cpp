// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/systems.hpp"

#include "failure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tridia::cli {
namespace {

using shape = std::vector<index_t>;

npy_header array(shape extents, bool fortran_order = false, value_type type = value_type::f64) {
  return {type, fortran_order, std::move(extents), 128};
}

systems match(const npy_header& dl, const npy_header& d, const npy_header& du,
              const npy_header& rhs, const system_options& o = {}) {
  return match_arrays({dl, d, du, rhs}, o);
}

std::string refusal(const npy_header& dl, const npy_header& d, const npy_header& du,
                    const npy_header& rhs, const system_options& o = {}) {
  try {
    match(dl, d, du, rhs, o);
  } catch (const failure& f) {
    EXPECT_EQ(f.code(), exit_bad_input);
    return f.what();
  }
  return "";
}

TEST(Systems, OneShape) {
  const npy_header a = array({3, 4, 5});
  const systems s = match(a, a, a, a, {.axis = 1});
  EXPECT_EQ(s.axis, 1u);
  EXPECT_EQ(s.rows(), 4);
  EXPECT_EQ(s.count(), 15);
  EXPECT_EQ(s.coefficients, coefficients::per_system);
  EXPECT_EQ(s.arrays[role_d].strides, (shape{20, 5, 1}));
  EXPECT_EQ(s.bytes_moved(), 5u * 60 * 8);
}

TEST(Systems, EachArrayInItsOwnOrder) {
  const systems s = match(array({3, 4}, true), array({3, 4}), array({3, 4}, true), array({3, 4}));
  EXPECT_EQ(s.arrays[role_dl].strides, (shape{1, 3}));
  EXPECT_EQ(s.arrays[role_d].strides, (shape{4, 1}));
  EXPECT_EQ(s.arrays[role_x].strides, (shape{4, 1}));
}

TEST(Systems, OneMatrixForAll) {
  const npy_header c = array({4});
  const systems s = match(c, c, c, array({3, 4, 5}), {.axis = -2});
  EXPECT_EQ(s.coefficients, coefficients::shared);
  EXPECT_EQ(s.arrays[role_d].strides, (shape{0, 1, 0}));
  EXPECT_EQ(s.bytes_moved(), 2u * 60 * 8);
}

TEST(Systems, BroadcastAlongBatchAxes) {
  const npy_header full = array({3, 4, 5});
  const systems s = match(full, array({1, 4, 5}), array({5}), full);
  EXPECT_EQ(s.coefficients, coefficients::per_system);
  EXPECT_EQ(s.arrays[role_d].strides, (shape{0, 5, 1}));
  EXPECT_EQ(s.arrays[role_du].strides, (shape{0, 0, 1}));
  const npy_header ones = array({1, 1, 5});
  EXPECT_EQ(match(ones, ones, ones, full).coefficients, coefficients::shared);
}

TEST(Systems, ShortOffDiagonals) {
  const npy_header full = array({3, 4});
  EXPECT_FALSE(match(full, full, full, full).short_off_diagonals);
  const systems both = match(array({3, 3}), full, array({3, 3}), full);
  EXPECT_TRUE(both.short_off_diagonals);
  EXPECT_EQ(both.arrays[role_dl].first, 0);
  EXPECT_EQ(both.arrays[role_dl].strides, (shape{3, 1}));
  // A full one beside a short one is read without its unused entry.
  const systems upper = match(full, full, array({3}), full);
  EXPECT_TRUE(upper.short_off_diagonals);
  EXPECT_EQ(upper.arrays[role_dl].first, 1);
  EXPECT_EQ(upper.arrays[role_dl].extents, (shape{3, 3}));
  EXPECT_EQ(match(array({0}), array({1}), array({1}), array({1})).short_off_diagonals, true);
}

TEST(Systems, SentencesNameTheArgumentAndBothValues) {
  const npy_header full = array({4, 8});
  EXPECT_EQ(
      refusal(full, array({4, 7}), full, full),
      "--d: shape (4, 7) does not fit --rhs's shape (4, 8): along axis 1 it has 7 entries and "
      "needs 8");
  EXPECT_EQ(refusal(array({4, 6}), full, full, full),
            "--dl: shape (4, 6) does not fit --rhs's shape (4, 8): along axis 1 it has 6 entries "
            "and needs 8 or 7");
  EXPECT_EQ(refusal(full, full, array({3, 8}), full),
            "--du: shape (3, 8) does not fit --rhs's shape (4, 8): along axis 0 it has 3 entries "
            "and needs 4, or 1 to be broadcast");
  EXPECT_EQ(refusal(full, array({2, 4, 8}), full, full),
            "--d: shape (2, 4, 8) does not fit --rhs's shape (4, 8): it needs 2 axes, or 1 to be "
            "shared");
  EXPECT_EQ(refusal(full, array({4, 8}, false, value_type::f32), full, full),
            "--d: type <f4 differs from --rhs's type <f8: all files need one type");
  EXPECT_EQ(refusal(full, full, full, full, {.axis = 2}),
            "--axis: 2 is out of range for --rhs's shape (4, 8): -2 to 1");
  EXPECT_NE(refusal(array({4, 7}), full, full, full, {.boundary = boundary::periodic}), "");
  EXPECT_NE(refusal(full, full, full, array({})), "");
}

TEST(Systems, NothingToSolve) {
  const npy_header no_rows = array({3, 0});
  EXPECT_EQ(match(no_rows, no_rows, no_rows, no_rows).rows(), 0);
  const npy_header no_systems = array({0, 3});
  EXPECT_EQ(match(no_systems, no_systems, array({3}), no_systems).count(), 0);
}

}  // namespace
}  // namespace tridia::cli
