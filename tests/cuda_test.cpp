// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// Streams and graphs. Whatever else a GPU does is in the suites that run on every backend.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::problem;

std::vector<problem> problems() {
  return {{.extents = {70, 65}},
          {.extents = {65, 70}, .axis = 0, .pivoting = tridia::pivoting::none},
          {.type = tridia::value_type::c64, .extents = {70, 65}, .right_hand_sides = 3},
          {.extents = {70, 65}, .boundary = tridia::boundary::periodic},
          // Too long for one block: clusters share a system, or several.
          {.extents = {7, 5000}},
          {.extents = {3000, 9}, .axis = 0, .boundary = tridia::boundary::periodic},
          // Too long for the chip: several passes.
          {.extents = {3, 40009}},
          {.extents = {40009, 3}, .axis = 0, .pivoting = tridia::pivoting::none},
          {.type = tridia::value_type::f32,
           .extents = {70, 65},
           .coefficients = tridia::coefficients::shared},
          {.extents = {300}, .offsets = {0, 17, 17, 200, 300}}};
}

class Cuda : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    stream_ = make_stream();
    how_ = {.backend = tridia::backend::cuda, .factored = GetParam(), .stream = stream_.get()};
  }
  void fill(experiment& e) {
    e.fill_matrices(random_);
    e.fill_rhs(random_);
    e.give();
  }
  void expect_solved(experiment& e) {
    EXPECT_EQ(e.take(), "");
    EXPECT_EQ(check_solution(e, 65), "") << describe(e.problem());
  }

  stream_handle stream_{nullptr, [](void*) {}};
  manner how_;
  rng random_ = random_for("Cuda");
};

// The stream does not wait for the default stream, so waiting for it alone must be enough.
TEST_P(Cuda, RunsOnAStream) {
  for (const problem& p : problems()) {
    experiment e(p, how_);
    fill(e);
    e.enqueue();
    wait_for(stream_.get());
    expect_solved(e);
  }
}

TEST_P(Cuda, IsCapturedInAGraph) {
  for (const problem& p : problems()) {
    experiment e(p, how_);
    fill(e);
    captured_graph graph(stream_.get(), [&] { e.enqueue(); });
    for (int replay = 0; replay < 3; ++replay) {
      fill(e);  // Other data each time, at the same addresses.
      graph.replay();
      expect_solved(e);
    }
  }
}

std::vector<bool> factored() {
  return have_gpu() ? std::vector<bool>{false, true} : std::vector<bool>{};
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Cuda);
INSTANTIATE_TEST_SUITE_P(All, Cuda, ::testing::ValuesIn(factored()), [](const auto& test) {
  return std::string(test.param ? "factored" : "executed");
});

}  // namespace
}  // namespace tridia_test
