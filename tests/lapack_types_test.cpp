// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// This repeats LAPACK's own test of xGTSV: its 12 types of matrices, its three checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/matrices.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::operation;
using tridia::value_type;

// This is LAPACK's threshold for the error, in units of epsilon times the condition number.
constexpr long double kThreshold = 30;

constexpr index_t kSizes[] = {1, 2, 3, 5, 10, 50};

class LapackTypes : public ::testing::TestWithParam<std::tuple<tridia::backend, value_type>> {
 protected:
  /// Sets the numbers of a matrix for system 0, and returns them as the type rounds them.
  static tridiagonal put(experiment& e, const tridiagonal& a) {
    tridiagonal rounded(a.rows());
    const auto copy = [&](role r, index_t row, const std::vector<wide>& from,
                          std::vector<wide>& to) {
      const auto k = static_cast<std::size_t>(row);
      e.set(r, 0, row, from[k]);
      to[k] = e.of(r).get(e.where().of(r, 0).at(row));
    };
    for (index_t row = 0; row < a.rows(); ++row) {
      if (row > 0) copy(role::dl, row, a.dl, rounded.dl);
      copy(role::d, row, a.d, rounded.d);
      if (row < a.rows() - 1) copy(role::du, row, a.du, rounded.du);
    }
    return rounded;
  }

  static std::vector<wide> put_rhs(experiment& e, const std::vector<wide>& b) {
    for (std::size_t k = 0; k < b.size(); ++k) e.set(role::rhs, 0, static_cast<index_t>(k), b[k]);
    std::vector<wide> rounded;
    for (std::size_t k = 0; k < b.size(); ++k)
      rounded.push_back(e.of(role::rhs).get(static_cast<index_t>(k)));
    return rounded;
  }

  /// Holds errors in units of epsilon times the condition number.
  struct ratios {
    long double lapack = 0, ours = 0;
  };

  ratios check(int number, index_t n, operation op) {
    const auto [backend, type] = GetParam();
    experiment e({.type = type, .extents = {n}, .operation = op}, {.backend = backend});
    const tridiagonal a = transformed(put(e, lapack_type(number, type, n, random_)), op);
    std::vector<wide> x(static_cast<std::size_t>(n));
    for (wide& value : x) value = draw_number(random_, type);
    std::vector<wide> lapack = put_rhs(e, product(a, x));
    const index_t info = gtsv(type, a, lapack);
    EXPECT_EQ(e.run(), "");
    EXPECT_EQ(e.status()[0], info);
    EXPECT_EQ(info > 0, number >= 8 && number <= 10);
    if (info != 0) return {};
    EXPECT_LE(backward_error(matrix_of(e, 0), solution_of(e, 0, 0), rhs_of(e, 0, 0)),
              kBackwardBound * epsilon(type));
    const long double unit = epsilon(type) / reciprocal_condition(a);
    return {relative_error(lapack, x) / unit, relative_error(solution_of(e, 0, 0), x) / unit};
  }

  rng random_ = random_for("LapackTypes");
};

TEST_P(LapackTypes, InfoResidualError) {
  const auto [backend, type] = GetParam();
  std::printf("%s %s: error / (epsilon * condition), LAPACK's and ours (at most %.0Lf), by type:\n",
              name(backend).data(), name(type).data(), kThreshold);
  for (int number = 1; number <= kLapackTypes; ++number) {
    ratios worst;
    for (const index_t n : kSizes)
      for (const operation op :
           {operation::none, operation::transpose, operation::conjugate_transpose}) {
        SCOPED_TRACE("type " + std::to_string(number) + ", n = " + std::to_string(n) + ", " +
                     std::string(name(op)));
        const ratios r = check(number, n, op);
        EXPECT_LE(r.ours, kThreshold);
        worst.lapack = std::max(worst.lapack, r.lapack);
        worst.ours = std::max(worst.ours, r.ours);
      }
    std::printf(" %2d: %.2Lf %.2Lf", number, worst.lapack, worst.ours);
  }
  std::printf("\n");
}

INSTANTIATE_TEST_SUITE_P(All, LapackTypes,
                         ::testing::Combine(::testing::ValuesIn(backends()),
                                            ::testing::ValuesIn(kTypes)),
                         [](const auto& test) {
                           return std::string(name(std::get<0>(test.param))) + "_" +
                                  std::string(name(std::get<1>(test.param)));
                         });

}  // namespace
}  // namespace tridia_test
