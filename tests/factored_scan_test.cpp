// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests solve with one matrix for all systems on a GPU: by a scan if its factors allow it,
// which only the GPU knows, and by substitution otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "core/dispatch.hpp"
#include "line_operator/cuda/scan.hpp"
#include "solver/executor.hpp"
#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::pivoting;
using tridia::problem;

struct config {
  tridia::value_type type;
  tridia::pivoting pivoting;
  bool factored;
};
void PrintTo(const config& c, std::ostream* out) {
  *out << name(c.type) << '_' << name(c.pivoting) << (c.factored ? "_factored" : "_executed");
}

/// Returns lines of n rows in memory order, interleaved and along a middle axis.
std::vector<problem> places(index_t n) {
  std::vector<problem> all{
      {.extents = {40, n}}, {.extents = {n, 40}, .axis = 0}, {.extents = {3, n, 20}, .axis = 1}};
  for (problem& p : all) p.coefficients = tridia::coefficients::shared;
  return all;
}

class FactoredScanCuda : public ::testing::TestWithParam<config> {
 protected:
  problem with_config(problem p) const {
    p.type = GetParam().type, p.pivoting = GetParam().pivoting;
    return p;
  }
  run_options how() const {
    return {.backend = tridia::backend::cuda, .factored = GetParam().factored};
  }
  /// Fills the matrices so that they are dominant enough for no interchange, however the size of a
  /// complex number is measured.
  void fill(experiment& e) {
    e.fill_matrices(random_);
    for (index_t k = 0; k < e.where().rows(0); ++k)
      e.set(role::d, 0, k, 2.0L * draw_dominant(random_, e.problem().type));
    e.fill_rhs(random_);
  }

  /// Returns what the GPU has found out, which is stored after the values of the factors.
  static bool is_sound(const experiment& e) {
    using tridia::solver::round_up;
    const std::size_t size = size_of(e.problem().type);
    const auto cut = tridia::core::with_type(e.problem().type, [&](auto type) {
      return tridia::line_operator::scan_cut<typename decltype(type)::type>(
          static_cast<int>(e.where().rows(0)));
    });
    const std::size_t tables = tridia::solver::alignment +
                               round_up(static_cast<std::size_t>(cut.values()) * size) +
                               round_up(static_cast<std::size_t>(cut.products()) * size);
    const buffer& all = e.factors();
    const auto* const first = static_cast<const std::byte*>(all.pointer());
    const std::ptrdiff_t skipped = tridia::solver::align(static_cast<const void*>(first)) - first;
    int sound = -1;
    std::memcpy(
        &sound,
        all.host() + skipped + e.plan().factors_bytes() - tables - tridia::solver::alignment,
        sizeof sound);
    EXPECT_TRUE(sound == 0 || sound == 1) << sound;
    return sound == 1;
  }
  void expect_solved(experiment& e, bool sound) {
    SCOPED_TRACE(describe(e.problem()) + "; " + e.plan().reason());
    ASSERT_EQ(e.run(), "");
    ASSERT_EQ(check_solution(e, 0), "");
    ASSERT_EQ(e.status(), std::vector<index_t>(static_cast<std::size_t>(e.where().systems())));
    EXPECT_NE(e.plan().reason().find("scan"), std::string::npos);
    if (GetParam().factored) {
      EXPECT_EQ(is_sound(e), sound);
    }
  }

  rng random_ = random_for(::testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::vector<std::vector<std::byte>> all_bytes(const experiment& e) {
  std::vector<std::vector<std::byte>> all;
  for (index_t s = 0; s < e.where().systems(); ++s) all.push_back(e.solution_bytes(s));
  return all;
}

TEST_P(FactoredScanCuda, Solves) {
  for (const index_t n : {24, 100, 512, 1000}) {
    for (const problem& p : places(n)) {
      for (const bool in_place : {false, true}) {
        run_options m = how();
        if (in_place) m.alias = role::rhs;
        experiment e(with_config(p), m);
        fill(e);
        expect_solved(e, true);
        if (HasFailure()) return;
        if (in_place) continue;  // the right-hand sides are gone
        const auto first = all_bytes(e);
        ASSERT_EQ(e.run(), "");
        EXPECT_EQ(all_bytes(e), first) << "not the same from run to run";
      }
    }
  }
}

// Arrays that the TMA cannot move are moved by threads.
TEST_P(FactoredScanCuda, SolvesOutOfLine) {
  for (const index_t n : {100, 512}) {
    for (const problem& p : places(n)) {
      run_options m = how();
      m.apart = true;
      m.misalignment = 8;
      experiment e(with_config(p), m);
      fill(e);
      expect_solved(e, true);
    }
  }
}

TEST_P(FactoredScanCuda, SolvesTransposed) {
  for (const auto operation :
       {tridia::operation::transpose, tridia::operation::conjugate_transpose}) {
    for (problem p : places(250)) {
      p.operation = operation;
      experiment e(with_config(p), how());
      fill(e);
      expect_solved(e, true);
    }
  }
}

TEST_P(FactoredScanCuda, SolvesSeveralRightSides) {
  for (problem p : places(200)) {
    if (p.extents.size() > 2) continue;  // an axis too many for the TMA
    p.right_hand_sides = 3;
    experiment e(with_config(p), how());
    fill(e);
    expect_solved(e, true);
  }
}

/// Returns so many lines that blocks take their tiles from a tile counter, and, of short ones, that
/// they are scanned.
std::vector<problem> many_lines() {
  std::vector<problem> all{{.extents = {24, 200'000}, .axis = 0},
                           {.extents = {5, 850'001}, .axis = 0},
                           {.extents = {850'001, 5}},
                           {.extents = {400'003, 11}}};
  for (problem& p : all) p.coefficients = tridia::coefficients::shared;
  return all;
}

TEST_P(FactoredScanCuda, SolvesManyLines) {
  if (GetParam().type != tridia::value_type::f64) GTEST_SKIP() << "f64 does";
  for (const problem& p : many_lines()) {
    experiment e(with_config(p), how());
    fill(e);
    expect_solved(e, true);
    if (!GetParam().factored || HasFailure()) continue;
    // The solve must succeed whatever the workspace holds.
    e.fill_rhs(random_);
    ASSERT_EQ(e.solve_again(), "");
    EXPECT_EQ(check_solution(e, 0), "");
  }
}

TEST_P(FactoredScanCuda, SubstitutesWhereRowsAreInterchanged) {
  if (GetParam().pivoting == pivoting::none) GTEST_SKIP() << "nothing is interchanged";
  for (const index_t n : {100, 512}) {
    for (const problem& p : places(n)) {
      for (const index_t row : {index_t{0}, n / 2, n - 2}) {
        experiment e(with_config(p), how());
        fill(e);
        e.set(role::d, 0, row, 0);
        e.set(role::dl, 0, row + 1, 1);
        e.set(role::du, 0, row, 1);
        expect_solved(e, false);
      }
    }
  }
}

TEST_P(FactoredScanCuda, SubstitutesWhereFactorsGrow) {
  for (const index_t n : {100, 512}) {
    for (const problem& p : places(n)) {
      experiment e(with_config(p), how());
      fill(e);
      // Six upper factors in a row are 2, and no others are.
      const index_t first = n / 2, last = first + 5;
      for (index_t k = first; k <= last; ++k) {
        e.set(role::dl, 0, k, 0);
        e.set(role::d, 0, k, 1);
        e.set(role::du, 0, k, 2);
      }
      e.set(role::dl, 0, last + 1, 0);
      expect_solved(e, false);
    }
  }
}

TEST_P(FactoredScanCuda, SubstitutesWhereUnitsAreTooFarApart) {
  if (GetParam().type != tridia::value_type::f32) GTEST_SKIP() << "f32 does";
  for (const bool falls : {true, false}) {
    for (const problem& p : places(200)) {
      experiment e(with_config(p), how());
      fill(e);
      for (index_t k = 0; k < 200; ++k) {
        const auto exponent = static_cast<int>(std::clamp<index_t>(100 - 5 * (k - 37), -90, 100));
        const long double scale = std::exp2(static_cast<long double>(falls ? exponent : -exponent));
        e.set(role::dl, 0, k, -scale);
        e.set(role::d, 0, k, 2 * scale);
        e.set(role::du, 0, k, -scale);
        for (index_t s = 0; s < e.where().systems(); ++s)
          e.set(role::rhs, s, k, scale * draw_number(random_, p.type).real());
      }
      expect_solved(e, false);
    }
  }
}

TEST_P(FactoredScanCuda, NamesTheZeroPivot) {
  for (const index_t n : {100, 512}) {
    for (const problem& p : places(n)) {
      experiment e(with_config(p), how());
      fill(e);
      e.set(role::d, 0, 30, 0);
      e.set(role::dl, 0, 31, 0);
      e.set(role::du, 0, 29, 0);
      ASSERT_EQ(e.run(), "");
      EXPECT_EQ(e.status(), std::vector<index_t>(static_cast<std::size_t>(e.where().systems()), 31))
          << describe(e.problem());
    }
  }
}

TEST_P(FactoredScanCuda, ABadRightSideSpoilsNoOther) {
  for (const index_t n : {100, 512}) {
    for (const problem& p : places(n)) {
      experiment e(with_config(p), how());
      fill(e);
      ASSERT_EQ(e.run(), "");
      const auto good = all_bytes(e);
      e.set(role::rhs, 7, n / 2, std::numeric_limits<long double>::quiet_NaN());
      e.set(role::rhs, 7, n - 1, std::numeric_limits<long double>::infinity());
      e.set(role::rhs, 11, n - 1, std::numeric_limits<long double>::infinity());
      ASSERT_EQ(e.run(), "");
      for (index_t s = 0; s < e.where().systems(); ++s) {
        const auto at = static_cast<std::size_t>(s);
        EXPECT_EQ(e.status()[at], s == 7 ? -(n / 2 + 1) : s == 11 ? -n : 0) << describe(p);
        if (s != 7 && s != 11) {
          EXPECT_EQ(e.solution_bytes(s), good[at]) << describe(p);
        }
      }
    }
  }
}

// A solve stores nothing with the factors, so two solves may use them at the same time.
TEST(FactoredScan, SolvesOnTwoStreamsCuda) {
  if (!have_gpu()) GTEST_SKIP();
  const problem p = many_lines().front();
  const tridia::plan plan(p, {.backend = tridia::backend::cuda});
  constexpr std::size_t n = 24, lines = 200'000;
  rng random = random_for("two streams");
  std::vector<double> d(n, 4), off(n, -1), rhs(n * lines);
  for (double& b : rhs) b = static_cast<double>(draw_number(random, p.type).real());
  const auto put = [](const std::vector<double>& v) {
    device_bytes memory = allocate_on_device(v.size() * sizeof(double));
    copy_to_device(memory.get(), v.data(), v.size() * sizeof(double));
    return memory;
  };
  const auto on_d = put(d), on_off = put(off), on_rhs = put(rhs);
  const auto factors = allocate_on_device(plan.factors_bytes());
  struct side {
    stream_handle stream = make_stream();
    device_bytes workspace, x;
    std::vector<double> got;
  };
  const auto make_side = [&] {
    return side{.workspace = allocate_on_device(plan.workspace_bytes()),
                .x = allocate_on_device(rhs.size() * sizeof(double)),
                .got = std::vector<double>(rhs.size())};
  };
  side sides[] = {make_side(), make_side()};
  const auto execution = [&](side& s) {
    return tridia::execution{.workspace = s.workspace.get(),
                             .workspace_bytes = plan.workspace_bytes(),
                             .stream = s.stream.get()};
  };
  const void *const off_at = on_off.get(), *const d_at = on_d.get();
  plan.factor(off_at, d_at, off_at, static_cast<void*>(factors.get()), execution(sides[0]));
  wait_for(sides[0].stream.get());
  for (int round = 0; round < 5; ++round) {
    for (side& s : sides)
      plan.solve(static_cast<const void*>(factors.get()), static_cast<const void*>(on_rhs.get()),
                 static_cast<void*>(s.x.get()), execution(s));
  }
  for (side& s : sides) {
    wait_for(s.stream.get());
    copy_to_host(s.got.data(), s.x.get(), s.got.size() * sizeof(double));
  }
  EXPECT_EQ(sides[0].got, sides[1].got);
  double worst = 0;
  for (std::size_t k = 1; k + 1 < n; ++k) {
    for (std::size_t l = 0; l < lines; ++l) {
      const auto x = [&](std::size_t row) { return sides[0].got[row * lines + l]; };
      worst = std::max(worst, std::fabs(4 * x(k) - x(k - 1) - x(k + 1) - rhs[k * lines + l]));
    }
  }
  EXPECT_LT(worst, 1e-14);
}

/// Returns every combination if there is a GPU.
std::vector<config> configs() {
  std::vector<config> all;
  if (!have_gpu()) return all;
  for (const tridia::value_type t : kTypes)
    for (const pivoting p : {pivoting::partial, pivoting::none})
      for (const bool factored : {false, true}) all.push_back({t, p, factored});
  return all;
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FactoredScanCuda);
INSTANTIATE_TEST_SUITE_P(All, FactoredScanCuda, ::testing::ValuesIn(configs()),
                         [](const auto& test) { return ::testing::PrintToString(test.param); });

}  // namespace
}  // namespace tridia_test
