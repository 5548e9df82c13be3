// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// A backward plan refuses these layouts, pointers and workspaces before anything is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/buffer.hpp"
#include "support/refusal.hpp"
#include "support/targets.hpp"
#include "tridia/backward.hpp"

namespace tridia_test {
namespace {

using tridia::backward_layout;
using tridia::backward_plan;
using tridia::coefficients;
using tridia::cotangents;
using tridia::errc;
using tridia::index_t;
using tridia::problem;

constexpr index_t kRows = 6, kBatch = 4, kElements = kRows * kBatch;

const problem kProblem{.extents = {kBatch, kRows}};

problem constant_problem() {
  problem p = kProblem;
  p.coefficients = coefficients::constant;
  p.matrix.interior = {1, 4, 1};
  return p;
}

/// Expects that no backward plan is made, and that the error names these words.
void expect_no_plan(const std::vector<std::string>& words, const problem& p,
                    const backward_layout& l, cotangents convention = cotangents::linear) {
  expect_refusal(errc::invalid_argument, words, [&] { backward_plan(p, {}, convention, l); });
}

TEST(BadBackward, Layout) {
  expect_no_plan({"layout.dl_strides", "3 entries"}, kProblem, {.dl_strides = {1, 2, 3}});
  expect_no_plan({"layout.d_strides", "1 entries"}, kProblem, {.d_strides = {1}});
  expect_no_plan({"layout.du_strides"}, kProblem, {.du_strides = {1}});
  expect_no_plan({"layout.rhs_strides"}, kProblem, {.rhs_strides = {1}});
  expect_no_plan({"layout.g_strides"}, kProblem, {.g_strides = {1}});
  expect_no_plan({"gradients.dl", "overlap"}, kProblem, {.dl_strides = {1, 1}});
  expect_no_plan({"gradients.d", "overlap"}, kProblem, {.d_strides = {5, 1}});
  expect_no_plan({"gradients.du", "overlap"}, kProblem, {.du_strides = {1, 3}});
  expect_no_plan({"gradients.rhs", "overlap"}, kProblem, {.rhs_strides = {1, 1}});
  expect_no_plan({"layout.rhs_strides", "axis 0", "not summed"}, kProblem, {.rhs_strides = {0, 1}});
  problem broadcast = kProblem;
  broadcast.rhs_strides = {0, 1};
  expect_no_plan({"layout.rhs_strides", "broadcast"}, broadcast, {});
  problem sides = kProblem;
  sides.right_hand_sides = 2;
  expect_no_plan({"layout.g_step", "right_hand_sides"}, sides, {.g_strides = {kRows, 1}});
  expect_no_plan({"layout.rhs_step", "right_hand_sides"}, sides, {.rhs_strides = {kRows, 1}});
  const problem ragged{.extents = {9}, .offsets = {0, 4, 9}};
  expect_no_plan({"gradients.d", "ragged"}, ragged, {.d_strides = {0}});
  expect_no_plan({"convention", "7"}, kProblem, {}, static_cast<cotangents>(7));
}

TEST(BadBackward, RaggedLayout) {
  for (const auto l : {tridia::ragged_layout::packed, tridia::ragged_layout::padded}) {
    problem p{.extents = {9}, .offsets = {0, 5, 9}, .ragged_layout = l};
    if (l == tridia::ragged_layout::padded) p.extents = {5, 2}, p.axis = 0;
    expect_refusal(errc::unsupported, {"ragged_layout", std::string(name(l))},
                   [&] { backward_plan plan(p); });
  }
}

TEST(BadBackward, Problem) {
  expect_no_plan({"axis"}, {.extents = {4, 6}, .axis = 2}, {});
  expect_no_plan({"extents"}, {.extents = {4, -6}}, {});
  expect_refusal(errc::invalid_argument, {"threads"},
                 [] { backward_plan(kProblem, {.threads = -1}); });
  expect_refusal(errc::unsupported, {"algorithm"},
                 [] { backward_plan(kProblem, {.algorithm = tridia::algorithm::cr}); });
}

/// Holds one pool of memory, filled with 4s, in which every array of an execution has a place.
class BadBackwardExecution : public ::testing::TestWithParam<tridia::backend> {
 public:
  struct arguments {
    const void *dl, *d, *du, *x, *g;
    tridia::gradients to;
    tridia::execution e;
  };

  void start(const problem& p) {
    plan_ = std::make_unique<backward_plan>(p, tridia::options{.backend = GetParam()});
    pool_ = std::make_unique<buffer>(GetParam(), 20 * kElements * sizeof(double));
    workspace_ = std::make_unique<buffer>(GetParam(), plan_->workspace_bytes());
    std::fill_n(reinterpret_cast<double*>(pool_->host()), 20 * kElements, 4.0);
    pool_->push();
  }
  [[nodiscard]] double* pool(index_t at) { return static_cast<double*>(pool_->pointer()) + at; }
  [[nodiscard]] double* place(index_t k) { return pool(k * kElements); }
  [[nodiscard]] arguments good() {
    return {place(0),
            place(1),
            place(2),
            place(3),
            place(4),
            {place(5), place(6), place(7), place(8)},
            {.workspace = workspace_->pointer(), .workspace_bytes = workspace_->size()}};
  }
  void execute(const arguments& a) {
    plan_->execute(a.dl, a.d, a.du, a.x, a.g, a.to, a.e);
    if (GetParam() == tridia::backend::cuda) wait_for(nullptr);
  }
  /// Expects a refusal that names these words, and that nothing was written.
  void expect_bad(const std::vector<std::string>& words,
                  const std::function<void(arguments&)>& spoil) {
    arguments a = good();
    spoil(a);
    expect_refusal(errc::invalid_argument, words, [&] { execute(a); });
    pool_->pull();
    const auto* const first = reinterpret_cast<const double*>(pool_->host());
    EXPECT_TRUE(std::all_of(first, first + 20 * kElements, [](double v) { return v == 4.0; }));
  }
  [[nodiscard]] backward_plan& plan() { return *plan_; }

 private:
  std::unique_ptr<backward_plan> plan_;
  std::unique_ptr<buffer> pool_, workspace_;
};

TEST_P(BadBackwardExecution, Null) {
  start(kProblem);
  expect_bad({"dl", "null"}, [](arguments& a) { a.dl = nullptr; });
  expect_bad({"d", "null"}, [](arguments& a) { a.d = nullptr; });
  expect_bad({"du", "null"}, [](arguments& a) { a.du = nullptr; });
  expect_bad({"x", "null"}, [](arguments& a) { a.x = nullptr; });
  expect_bad({"g", "null"}, [](arguments& a) { a.g = nullptr; });
  expect_bad({"gradients.rhs", "null"}, [](arguments& a) { a.to.rhs = nullptr; });
}

TEST_P(BadBackwardExecution, Workspace) {
  problem p = kProblem;
  p.coefficients = coefficients::shared;
  start(p);
  if (plan().workspace_bytes() == 0) GTEST_SKIP() << "this plan needs none";
  expect_bad({"workspace", "null"}, [](arguments& a) { a.e.workspace = nullptr; });
  expect_bad({"workspace", "bytes"}, [](arguments& a) { --a.e.workspace_bytes; });
}

TEST_P(BadBackwardExecution, Overlap) {
  start(kProblem);
  expect_bad({"gradients.rhs", "same array as x"}, [&](arguments& a) { a.to.rhs = place(3); });
  expect_bad({"gradients.rhs", "overlap"},
             [&](arguments& a) { a.to.rhs = pool(3 * kElements + 1); });
  expect_bad({"gradients.rhs", "overlap"},
             [&](arguments& a) { a.to.rhs = pool(4 * kElements - 1); });
  expect_bad({"gradients.dl", "same array as x"}, [&](arguments& a) { a.to.dl = place(3); });
  expect_bad({"gradients.d", "same array as gradients.rhs"},
             [&](arguments& a) { a.to.d = place(8); });
  expect_bad({"same array as"}, [&](arguments& a) { a.to.du = place(5); });
  expect_bad({"same array as"}, [&](arguments& a) { a.to.d = place(5); });
  expect_bad({"same array as"}, [&](arguments& a) { a.to.d = place(7); });
  expect_bad({"gradients.du", "overlap"}, [&](arguments& a) { a.to.du = pool(1); });
  expect_bad({"gradients.du", "overlap"}, [&](arguments& a) { a.to.du = pool(8 * kElements - 2); });
  expect_bad({"gradients.d", "overlap"}, [&](arguments& a) { a.to.d = pool(4 * kElements + 2); });
}

/// Gradients may lie in place of what they are gradients of, and of g.
TEST_P(BadBackwardExecution, InPlaceIsNoOverlap) {
  start(kProblem);
  arguments a = good();
  a.to = {place(0), place(1), place(2), place(4)};
  EXPECT_NO_THROW(execute(a));
}

TEST_P(BadBackwardExecution, FormOfTheCall) {
  start(constant_problem());
  expect_bad({"coefficients", "constant", "rhs_gradient"}, [](arguments&) {});
  expect_refusal(errc::invalid_argument, {"g", "null"},
                 [&] { plan().execute(nullptr, place(8), good().e); });
  start(kProblem);
  expect_refusal(errc::invalid_argument, {"coefficients", "per_system", "dl"},
                 [&] { plan().execute(place(4), place(8), good().e); });
}

INSTANTIATE_TEST_SUITE_P(, BadBackwardExecution, ::testing::ValuesIn(backends()),
                         [](const auto& of) { return std::string(name(of.param)); });

}  // namespace
}  // namespace tridia_test
