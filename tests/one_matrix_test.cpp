// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// A matrix that all systems share is copied from the first-level cache of a GPU where that holds
// it: these tests check which shapes do so, and compare their solutions with the reference.
#include <gtest/gtest.h>

#include <optional>

#include "solver/cuda/partition/onchip.hpp"
#include "support/device_memory.hpp"
#include "support/task.hpp"
#include "support/twin.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::index_t;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::cuda::copy_mode;
using tridia::cuda::onchip_shape;

/// Returns the shape of a block if every right-hand side is a system of its own.
std::optional<onchip_shape> shape_of(const problem& p) {
  tridia::solver::task t = task_of(p);
  t.coefficients = tridia::coefficients::per_system;
  t.geometry = tridia::layout::broadcast_matrices(t.geometry);
  return tridia::cuda::plan_onchip(
      t, {}, {.shared_bytes = 227 << 10, .clusters = true, .multiprocessors = 132});
}

problem periodic(value_type type, index_t batch, index_t n) {
  return {.type = type,
          .extents = {batch, n},
          .boundary = boundary::periodic,
          .pivoting = pivoting::none,
          .coefficients = tridia::coefficients::shared};
}

bool is_cached(const problem& p) { return shape_of(p)->one_matrix; }

TEST(OneMatrixShape, IsCachedWhereItIsShortAndSystemsAreMany) {
  EXPECT_TRUE(is_cached(periodic(value_type::f32, 2048, 64)));
  EXPECT_FALSE(is_cached(periodic(value_type::f32, 2047, 64)));
  EXPECT_TRUE(is_cached(periodic(value_type::f32, 5000, 1024)));
  EXPECT_FALSE(is_cached(periodic(value_type::f32, 5000, 1025)));
  EXPECT_TRUE(is_cached(periodic(value_type::f64, 5000, 512)));
  EXPECT_FALSE(is_cached(periodic(value_type::f64, 5000, 513)));
  EXPECT_FALSE(is_cached(periodic(value_type::f32, 5000, 9000)));
  problem p = periodic(value_type::f32, 5000, 1000);
  p.right_hand_sides = 2;
  EXPECT_TRUE(is_cached(p));
  p.coefficients = tridia::coefficients::per_system;
  EXPECT_FALSE(is_cached(p));
  p.right_hand_sides = 1;
  EXPECT_FALSE(is_cached(p));
}

TEST(OneMatrixShape, IsCopiedBesideLinesAndPieces) {
  EXPECT_EQ(shape_of(periodic(value_type::f32, 5000, 1000))->input, copy_mode::lines);
  EXPECT_EQ(shape_of(periodic(value_type::f32, 5000, 1001))->input, copy_mode::pieces);
  problem transposed = periodic(value_type::f64, 5000, 1000);
  transposed.operation = tridia::operation::transpose;
  EXPECT_EQ(shape_of(transposed)->input, copy_mode::pieces);
}

// A warp waits for the copies of each of its lines where there are few rows in all, and for all of
// its lanes where each has a system.
TEST(OneMatrixShape, HasFewerRowsAThreadWhereThereAreFew) {
  for (const auto type : {value_type::f32, value_type::f64}) {
    const auto rows = [&](index_t batch, index_t n) {
      return shape_of(periodic(type, batch, n))->chunk_rows;
    };
    EXPECT_GE(rows(100'000, 64), type == value_type::f32 ? 23 : 13);
    EXPECT_LE(rows(10'000, 64), type == value_type::f32 ? 21 : 11);
    EXPECT_LE(rows(60'000, 16), type == value_type::f32 ? 17 : 9);
    EXPECT_GE(rows(25'000, 37), 13);
    EXPECT_EQ(rows(1000, 1000), rows(100'000, 1000));
  }
}

constexpr index_t kSystems = 2100;

/// Solves with one matrix whose lines take a copy of the TMA each, or pieces of them, some in a
/// warp or several warps for one.
void expect_as_reference(value_type type) {
  if (!have_gpu()) GTEST_SKIP();
  rng random = random_for("OneMatrixCuda");
  const auto check = [&](const problem& p, index_t apart) {
    for (const bool factored : {false, true}) {
      twin t(p, {.backend = tridia::backend::cuda, .factored = factored, .status = flip(random)});
      SCOPED_TRACE(describe(p) + "; " + t.reason());
      t.fill(random, apart);
      EXPECT_EQ(t.run(), "");
    }
  };
  for (const index_t n : {64, 200, 255, 256, 388, 500, 1000, 1001, 1022}) {
    if (!is_cached(periodic(type, kSystems, n))) continue;
    for (const auto operation : {tridia::operation::none, tridia::operation::transpose,
                                 tridia::operation::conjugate_transpose}) {
      problem p = periodic(type, kSystems, n);
      p.operation = operation;
      check(p, 0);
      // Of one matrix of its own, some rows of which have to be interchanged.
      p.coefficients = tridia::coefficients::per_system;
      p.extents = {n}, p.right_hand_sides = kSystems;
      for (const auto ends : {boundary::regular, boundary::periodic}) {
        p.boundary = ends, p.pivoting = pivoting::partial;
        check(p, flip(random) ? 0 : 1);
      }
    }
  }
}

TEST(OneMatrixCuda, AgreesWithTheReferenceInF32) { expect_as_reference(value_type::f32); }
TEST(OneMatrixCuda, AgreesWithTheReferenceInF64) { expect_as_reference(value_type::f64); }
TEST(OneMatrixCuda, AgreesWithTheReferenceInC64) { expect_as_reference(value_type::c64); }
TEST(OneMatrixCuda, AgreesWithTheReferenceInC128) { expect_as_reference(value_type::c128); }

}  // namespace
}  // namespace tridia_test
