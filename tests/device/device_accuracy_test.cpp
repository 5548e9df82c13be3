// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "device/device_case.hpp"
#include "support/accuracy.hpp"
#include "support/device_memory.hpp"
#include "support/flat_lines.hpp"
#include "support/matrices.hpp"

// Lines solved in kernels of users, with partial pivoting, beside LAPACK's xGTSV: in blocks of
// every order that tests have, and by solve_lines.
namespace tridia_test {
namespace {

using tridia::value_type;

/// Returns the solvers with pivoting that take lines of some length without corners.
template <value_type Type>
std::vector<device_solver> pivoting_solvers() {
  constexpr int long_enough = 64;
  std::vector<device_solver> all = device_solvers<Type>();
  for (const device_solver& s : grid_solvers<Type>()) all.push_back(s);
  std::erase_if(all, [](const device_solver& s) {
    const bool is_short = s.max_rows != device_solver::any_rows && s.max_rows < long_enough;
    return s.pivoting != tridia::pivoting::partial || s.boundary != tridia::boundary::regular ||
           is_short;
  });
  return all;
}

template <class T>
void expect_near_lapack(const device_solver& s, int number, rng& random) {
  constexpr index_t most = 512;
  const index_t rows =
      s.max_rows == device_solver::any_rows ? most : std::min<index_t>(s.max_rows, most);
  const auto draws = draw_systems(number, rows, s.type, random);
  flat_lines<T> all(draws);
  // All right-hand sides are the same, and the last one is looked at.
  std::vector<T> rhs, x;
  for (int side = 0; side < s.sides; ++side) {
    rhs.insert(rhs.end(), all.b.begin(), all.b.end());
    x.insert(x.end(), all.x.begin(), all.x.end());
  }
  device_lines t{
      all.n, all.lines, s.sides, all.dl.data(), all.d.data(), all.du.data(), rhs.data(), x.data(),
      {},    {},        {}};
  ASSERT_EQ(s.solve(t), "");
  expect_solved({t.status.begin(), t.status.end()}, draws);
  std::copy(x.end() - std::ssize(all.x), x.end(), all.x.begin());
  const accuracy a = all.errors(draws, s.type);
  EXPECT_TRUE(is_near_lapack(a, draws, s.type))
      << matrix_name(number) << ", " << s.name << ", " << rows << " rows: " << a.ratio
      << " times LAPACK's error";
}

class DeviceAccuracy : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP();
  }
  template <value_type Type, class T>
  void near_lapack() {
    rng random = random_for(std::string("device") + matrix_name(GetParam()));
    const auto solvers = pivoting_solvers<Type>();
    ASSERT_FALSE(solvers.empty());
    for (const device_solver& s : solvers) expect_near_lapack<T>(s, GetParam(), random);
  }
};

TEST_P(DeviceAccuracy, NearLapackF64) { near_lapack<value_type::f64, double>(); }
TEST_P(DeviceAccuracy, NearLapackF32) { near_lapack<value_type::f32, float>(); }
INSTANTIATE_TEST_SUITE_P(All, DeviceAccuracy, ::testing::Range(1, kAccuracyMatrices + 1));

}  // namespace
}  // namespace tridia_test
