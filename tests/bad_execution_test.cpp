// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// A sound plan refuses these pointers and workspaces before anything is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/buffer.hpp"
#include "support/layout.hpp"
#include "support/refusal.hpp"
#include "support/targets.hpp"
#include "tridia/plan.hpp"

namespace tridia_test {
namespace {

using tridia::errc;
using tridia::index_t;
using tridia::problem;

constexpr index_t kRows = 6, kBatch = 4, kElements = kRows * kBatch;

/// Holds one pool of memory, filled with 4s, in which every argument of an execution has a place.
class BadExecution : public ::testing::TestWithParam<tridia::backend> {
 public:
  struct arguments {
    const void *dl, *d, *du, *rhs;
    void *x, *factors;
    tridia::execution e;
  };

  void start(const problem& p, std::size_t elements = 20 * kElements) {
    plan_ = std::make_unique<tridia::plan>(p, tridia::options{.backend = GetParam()});
    pool_ = std::make_unique<buffer>(GetParam(), elements * sizeof(double));
    workspace_ = std::make_unique<buffer>(GetParam(), plan_->workspace_bytes());
    factors_ = std::make_unique<buffer>(GetParam(), plan_->factors_bytes());
    status_ = std::make_unique<buffer>(GetParam(), kBatch * sizeof(index_t));
    std::fill_n(reinterpret_cast<double*>(pool_->host()), elements, 4.0);
    for (buffer* b : {workspace_.get(), factors_.get(), status_.get()})
      std::fill_n(b->host(), b->size(), std::byte{0x5A});
    for (buffer* b : all()) b->push();
  }

  /// Returns the address of element `at` of the pool.
  [[nodiscard]] double* pool(index_t at) { return static_cast<double*>(pool_->pointer()) + at; }

  [[nodiscard]] arguments good() {
    return {pool(0),
            pool(kElements),
            pool(2 * kElements),
            pool(3 * kElements),
            pool(10 * kElements),
            factors_->pointer(),
            {.workspace = workspace_->pointer(),
             .workspace_bytes = workspace_->size(),
             .status = static_cast<index_t*>(status_->pointer())}};
  }

  void execute(const arguments& a) { plan_->execute(a.dl, a.d, a.du, a.rhs, a.x, a.e); }
  void factor(const arguments& a) { plan_->factor(a.dl, a.d, a.du, a.factors, a.e); }
  void solve(const arguments& a) { plan_->solve(a.factors, a.rhs, a.x, a.e); }

  using call = void (BadExecution::*)(const arguments&);

  void expect_refused(call c, const std::function<void(arguments&)>& spoil,
                      const std::vector<std::string>& words, errc code = errc::invalid_argument) {
    arguments a = good();
    spoil(a);
    std::vector<std::vector<std::byte>> before;
    for (buffer* b : all()) before.emplace_back(b->host(), b->host() + b->size());
    expect_refusal(code, words, [&] { (this->*c)(a); });
    for (std::size_t k = 0; k < all().size(); ++k) {
      all()[k]->pull();
      EXPECT_TRUE(std::equal(before[k].begin(), before[k].end(), all()[k]->host()))
          << "buffer " << k << " was written";
    }
  }

  [[nodiscard]] std::vector<buffer*> all() {
    return {pool_.get(), workspace_.get(), factors_.get(), status_.get()};
  }

  std::unique_ptr<tridia::plan> plan_;
  std::unique_ptr<buffer> pool_, workspace_, factors_, status_;
};

TEST_P(BadExecution, NullPointers) {
  start({.extents = {kBatch, kRows}});
  const std::vector<std::pair<std::string, std::function<void(arguments&)>>> inputs = {
      {"dl", [](arguments& a) { a.dl = nullptr; }},
      {"d", [](arguments& a) { a.d = nullptr; }},
      {"du", [](arguments& a) { a.du = nullptr; }},
  };
  for (const auto& [name, spoil] : inputs) {
    expect_refused(&BadExecution::execute, spoil, {name + ":", "null"});
    expect_refused(&BadExecution::factor, spoil, {name + ":", "null"});
  }
  const auto no_rhs = [](arguments& a) { a.rhs = nullptr; };
  const auto no_x = [](arguments& a) { a.x = nullptr; };
  const auto no_factors = [](arguments& a) { a.factors = nullptr; };
  for (const call c : {&BadExecution::execute, &BadExecution::solve}) {
    expect_refused(c, no_rhs, {"rhs:", "null"});
    expect_refused(c, no_x, {"x:", "null"});
  }
  for (const call c : {&BadExecution::factor, &BadExecution::solve})
    expect_refused(c, no_factors, {"factors:", "null", std::to_string(plan_->factors_bytes())});
}

TEST_P(BadExecution, Workspace) {
  start({.extents = {kBatch, kRows}, .right_hand_sides = 2});
  const std::size_t needed = plan_->workspace_bytes();
  ASSERT_GT(needed, 0U);
  for (const call c : {&BadExecution::execute, &BadExecution::solve}) {
    expect_refused(c, [](arguments& a) { a.e.workspace = nullptr; },
                   {"workspace", "null", std::to_string(needed)});
    expect_refused(c, [&](arguments& a) { a.e.workspace_bytes = needed - 1; },
                   {"workspace", std::to_string(needed - 1), std::to_string(needed)});
  }
}

TEST_P(BadExecution, ShiftedOverlap) {
  start({.extents = {kBatch, kRows}});
  for (const index_t shift : {index_t{1}, index_t{-1}, kRows, -kRows, kElements - 1}) {
    expect_refused(&BadExecution::execute,
                   [&](arguments& a) { a.rhs = pool(10 * kElements + shift); }, {"x:", "rhs"});
    expect_refused(&BadExecution::solve,
                   [&](arguments& a) { a.rhs = pool(10 * kElements + shift); }, {"x:", "rhs"});
    expect_refused(&BadExecution::execute,
                   [&](arguments& a) { a.dl = pool(10 * kElements + shift); }, {"x:", "dl"});
    expect_refused(&BadExecution::execute,
                   [&](arguments& a) { a.d = pool(10 * kElements + shift); }, {"x:", "d,"});
    expect_refused(&BadExecution::execute,
                   [&](arguments& a) { a.du = pool(10 * kElements + shift); }, {"x:", "du"});
  }
}

// x begins half an element further: no element is shared, but bytes are.
TEST_P(BadExecution, OverlapWithinAnElement) {
  start({.extents = {kBatch, kRows}, .rhs_strides = {2 * kRows, 2}, .x_strides = {2 * kRows, 2}});
  const auto half = [](double* p) { return reinterpret_cast<std::byte*>(p) + 4; };
  expect_refused(&BadExecution::execute, [&](arguments& a) { a.rhs = half(pool(10 * kElements)); },
                 {"x:", "rhs"});
}

TEST_P(BadExecution, SamePointerOtherStrides) {
  start({.extents = {kBatch, kRows}, .x_strides = {1, kBatch}});
  expect_refused(&BadExecution::execute, [](arguments& a) { a.rhs = a.x; }, {"x:", "rhs"});
  expect_refused(&BadExecution::execute, [](arguments& a) { a.d = a.x; }, {"x:", "d,"});
}

TEST_P(BadExecution, SharedMatrixInX) {
  start({.extents = {kBatch, kRows}, .coefficients = tridia::coefficients::shared});
  expect_refused(&BadExecution::execute, [](arguments& a) { a.d = a.x; }, {"x:", "d,"});
}

TEST_P(BadExecution, TypeMismatch) {
  start({.extents = {kBatch, kRows}});
  expect_refusal(errc::invalid_argument, {"f32", "f64"}, [&] {
    auto* x = static_cast<float*>(static_cast<void*>(pool(10 * kElements)));
    const float* in = x + 2 * kElements;
    plan_->execute(in, in, in, in, x, good().e);
  });
}

TEST_P(BadExecution, WrongDevice) {
  if (!have_gpu()) GTEST_SKIP() << "needs a GPU";
  start({.extents = {kBatch, kRows}});
  const bool device = GetParam() == tridia::backend::cuda;
  const auto there = device ? tridia::backend::cpu : tridia::backend::cuda;
  buffer elsewhere(there, kElements * sizeof(double) + plan_->workspace_bytes());
  void* const p = elsewhere.pointer();
  const auto refuse = [&](const std::function<void(arguments&)>& spoil, const char* name) {
    expect_refused(&BadExecution::execute, spoil, {name}, errc::wrong_device);
  };
  refuse([&](arguments& a) { a.dl = p; }, "dl");
  refuse([&](arguments& a) { a.d = p; }, "d:");
  refuse([&](arguments& a) { a.du = p; }, "du");
  refuse([&](arguments& a) { a.rhs = p; }, "rhs");
  refuse([&](arguments& a) { a.x = p; }, "x:");
  if (plan_->workspace_bytes() > 0) {
    refuse([&](arguments& a) { a.e.workspace = p; }, "workspace");
  }
  refuse([&](arguments& a) { a.e.status = static_cast<index_t*>(p); }, "status");
}

// Tests arrays that lie among one another without sharing an element.
class Neighbours : public BadExecution {
 public:
  /// Solves a problem in which every number of the matrix and the right-hand side is 4.
  void expect_solved(const problem& p, index_t rhs_at, index_t x_at) {
    constexpr double kSolution[kRows] = {0, 1, 0, 0, 1, 0};
    start(p);
    arguments a = good();
    a.rhs = pool(rhs_at);
    a.x = pool(x_at);
    ASSERT_NO_THROW(execute(a));
    pool_->pull();
    const auto* pool = reinterpret_cast<const double*>(pool_->host());
    std::vector<double> rest(pool, pool + pool_->size() / sizeof(double));
    for (index_t s = 0; s < kBatch; ++s)
      for (index_t row = 0; row < kRows; ++row) {
        double& x = rest[static_cast<std::size_t>(x_at + layout(p).of(role::x, s).at(row))];
        EXPECT_NEAR(x, kSolution[row], 1e-14) << "system " << s << " row " << row;
        x = 4;
      }
    EXPECT_EQ(rest, std::vector<double>(rest.size(), 4.0)) << "written beside x";
  }
};

constexpr index_t kThere = 10 * kElements;

TEST_P(Neighbours, MembersOfAStructure) {
  expect_solved(
      {.extents = {kBatch, kRows}, .rhs_strides = {2 * kRows, 2}, .x_strides = {2 * kRows, 2}},
      kThere, kThere + 1);
}

TEST_P(Neighbours, ComponentsOfAField) {
  expect_solved(
      {.extents = {kBatch, kRows}, .rhs_strides = {2 * kRows, 1}, .x_strides = {2 * kRows, 1}},
      kThere, kThere + kRows);
}

TEST_P(Neighbours, ColumnBlocks) {
  expect_solved({.extents = {kRows, kBatch},
                 .axis = 0,
                 .rhs_strides = {2 * kBatch, 1},
                 .x_strides = {2 * kBatch, 1}},
                kThere + kBatch, kThere);
}

TEST_P(Neighbours, BackToBack) {
  expect_solved({.extents = {kBatch, kRows}, .x_strides = {-kRows, -1}}, kThere, kThere - 1);
}

INSTANTIATE_TEST_SUITE_P(All, BadExecution, ::testing::ValuesIn(backends()),
                         [](const auto& test) { return std::string(tridia::name(test.param)); });

INSTANTIATE_TEST_SUITE_P(All, Neighbours, ::testing::ValuesIn(backends()),
                         [](const auto& test) { return std::string(tridia::name(test.param)); });

}  // namespace
}  // namespace tridia_test
