// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests are for streams and graphs of a backward pass, and for batches that fill a GPU.
// Everything else is in backward_test.cpp, which runs on every backend.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/backward_experiment.hpp"
#include "support/device_memory.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::coefficients;
using tridia::cotangents;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;

std::vector<problem> problems() {
  return {{.extents = {700, 65}},
          {.extents = {65, 700}, .axis = 0},
          {.extents = {3, 20000}},
          {.extents = {700, 65}, .coefficients = coefficients::shared},
          {.extents = {65, 7000}, .axis = 0, .coefficients = coefficients::shared},
          {.type = tridia::value_type::c64, .extents = {70, 65}, .right_hand_sides = 3}};
}

/// Expects that gradients of a system without a solution are NaN, and others what they were.
void expect_nan_alone(backward_experiment& e, rng& random) {
  const problem& p = e.forward().problem();
  const index_t bad = draw(random, 0, e.plan().systems() - 1);
  const index_t n = p.extents[p.axis < 0 ? p.extents.size() - 1 : static_cast<std::size_t>(p.axis)];
  const index_t other = bad > 0 ? bad - 1 : bad + 1;
  const wide before = e.at(role::d, other, n / 2), beside = e.at(role::du, other, 0);
  for (const role r : {role::dl, role::d, role::du}) {
    for (index_t k = 0; k < n; ++k) e.forward().set(r, bad, k, 0);
  }
  ASSERT_EQ(e.forward().run(), "");
  ASSERT_EQ(e.run(), "");
  EXPECT_NE(e.status()[static_cast<std::size_t>(bad)], 0);
  for (const index_t k : {index_t{0}, n / 2, n - 1}) {
    EXPECT_TRUE(std::isnan(e.at(role::x, bad, k).real())) << k;
    EXPECT_TRUE(std::isnan(e.at(role::d, bad, k).real())) << k;
  }
  EXPECT_TRUE(std::isnan(e.at(role::dl, bad, n - 1).real()));
  EXPECT_TRUE(std::isnan(e.at(role::du, bad, 0).real()));
  // Systems that were solved with it are solved again one by one, with other roundings.
  EXPECT_LE(std::abs(e.at(role::d, other, n / 2) - before), 1e-3L * std::abs(before));
  EXPECT_LE(std::abs(e.at(role::du, other, 0) - beside), 1e-3L * std::abs(beside));
}

TEST(BackwardCuda, CapturedOnAStream) {
  if (!have_gpu()) GTEST_SKIP();
  rng random = random_for("backward graph");
  for (const problem& p : problems()) {
    SCOPED_TRACE(describe(p));
    const stream_handle stream = make_stream();
    backward_experiment e(p, cotangents::linear,
                          {.backend = tridia::backend::cuda, .stream = stream.get()});
    ASSERT_EQ(e.start(random), "");
    ASSERT_EQ(e.run(), "");
    ASSERT_EQ(e.check(), "");
    const std::vector<std::byte> executed = e.bytes();
    captured_graph graph(stream.get(), [&] { e.enqueue(stream.get()); });
    for (int k = 0; k < 2; ++k) {
      e.give();
      graph.replay();
      wait_for(stream.get());
      ASSERT_EQ(e.take(), "");
      EXPECT_EQ(e.bytes(), executed);
    }
  }
}

/// Kernels that solve form the gradients of their systems: of those that have no solution too.
TEST(BackwardCuda, FormedInTheSolve) {
  if (!have_gpu()) GTEST_SKIP();
  rng random = random_for("backward in the solve");
  const problem shapes[] = {{.extents = {301, 65}},
                            {.extents = {700, 7}},
                            {.extents = {37, 512}},
                            {.extents = {9, 2000}},
                            {.extents = {5, 9001}}};
  for (const problem& of : shapes) {
    for (const value_type type : {value_type::f32, value_type::f64, value_type::c64}) {
      for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
        for (const boundary ends : {boundary::regular, boundary::periodic}) {
          problem p = of;
          p.type = type, p.pivoting = pivots, p.boundary = ends;
          backward_experiment e(p, cotangents::linear, {.backend = tridia::backend::cuda});
          SCOPED_TRACE(describe(p) + "; " + e.plan().reason());
          EXPECT_NE(e.plan().reason().find("in the same launch"), std::string::npos);
          ASSERT_EQ(e.start(random), "");
          ASSERT_EQ(e.run(), "");
          EXPECT_EQ(e.check(), "");
          expect_nan_alone(e, random);
        }
      }
    }
  }
}

/// Threads take several rows, chunks and points here, which smaller batches do not ask for.
TEST(BackwardCuda, FillsADevice) {
  if (!have_gpu()) GTEST_SKIP();
  rng random = random_for("backward device");
  const problem large[] = {
      {.type = tridia::value_type::f32, .extents = {1500, 701}},
      {.type = tridia::value_type::f32, .extents = {131, 12001}, .axis = 0},
      {.extents = {9001, 131}, .coefficients = coefficients::shared},
      {.extents = {31, 40001}, .axis = 0, .coefficients = coefficients::shared},
      {.extents = {3, 31, 9001}, .axis = 1, .right_hand_sides = 2}};
  for (const problem& of : large) {
    problem p = of;
    p.pivoting = tridia::pivoting::none;
    SCOPED_TRACE(describe(p));
    backward_experiment e(p, cotangents::linear, {.backend = tridia::backend::cuda});
    ASSERT_EQ(e.start(random), "");
    ASSERT_EQ(e.run(), "");
    EXPECT_EQ(e.check(), "");
    const std::vector<std::byte> first = e.bytes();
    ASSERT_EQ(e.run(), "");
    EXPECT_EQ(e.bytes(), first);
  }
}

}  // namespace
}  // namespace tridia_test
