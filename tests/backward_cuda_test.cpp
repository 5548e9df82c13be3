// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests are for streams and graphs of a backward pass, and for batches that fill a GPU.
// Everything else is in backward_test.cpp, which runs on every backend.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/backward_experiment.hpp"
#include "support/device_memory.hpp"

namespace tridia_test {
namespace {

using tridia::coefficients;
using tridia::cotangents;
using tridia::problem;

std::vector<problem> problems() {
  return {{.extents = {700, 65}},
          {.extents = {65, 700}, .axis = 0},
          {.extents = {3, 20000}},
          {.extents = {700, 65}, .coefficients = coefficients::shared},
          {.extents = {65, 7000}, .axis = 0, .coefficients = coefficients::shared},
          {.type = tridia::value_type::c64, .extents = {70, 65}, .right_hand_sides = 3}};
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
