// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests find x at the border of two chunks from their equations there alone.
#include "solver/cuda/partition/segments/border.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/core_values.hpp"
#include "support/lapack.hpp"
#include "support/matrices.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/scalar.hpp"

namespace tridia_test {
namespace {

using tridia::pivoting;
using tridia::cuda::segments::border_equation;
using tridia::cuda::segments::border_equations;
using tridia::cuda::segments::border_reduction;

template <class V>
struct chunk_rows {
  const tridiagonal& a;
  const std::vector<wide>& b;
  index_t from;

  [[nodiscard]] V entry(const std::vector<wide>& v, index_t k) const {
    return value_of<V>(v[static_cast<std::size_t>(from + k)]);
  }
  [[nodiscard]] auto get(index_t k) const -> tridia::core::row<V> {
    return {entry(a.dl, k), entry(a.d, k), entry(a.du, k)};
  }
  [[nodiscard]] V rhs(index_t k) const { return entry(b, k); }
  void keep_pivot(index_t, const auto&) {}
};

/// Returns the equations at the borders of `n` rows of a system.
template <class V, pivoting P>
border_equations<V> borders_of(const tridiagonal& a, const std::vector<wide>& b, index_t from,
                               index_t n) {
  using chunk = tridia::core::chunk<V, P>;
  chunk_rows<V> rows{a, b, from};
  if constexpr (P == pivoting::none) {
    return border_reduction<V>::at_borders(chunk::template reduce<false>(n, rows, [](const V&) {}));
  } else {
    typename chunk::middle middle;
    return border_reduction<V>::at_borders(chunk::template reduce<false>(n, rows, middle));
  }
}

template <class V>
bool is_known(const border_equation<V>& e) {
  return tridia::core::is_finite(e.inner) && tridia::core::is_finite(e.outer);
}

template <class V>
class Border : public ::testing::Test {
 protected:
  static constexpr index_t kChunk = 200, kRows = 3 * kChunk;
  using real = typename tridia::core::value_traits<V>::real;

  /// Returns a system with random entries, and with this diagonal if it is not 0.
  tridiagonal make(const wide& diag) {
    tridiagonal a(kRows);
    for (std::size_t k = 0; k < a.d.size(); ++k) {
      a.dl[k] = number(), a.du[k] = number(), a.d[k] = diag == wide(0) ? number() : diag;
    }
    a.dl.front() = a.du.back() = 0;
    return a;
  }
  /// Returns a number that V represents, of a modulus up to about 1.
  wide number() { return wide_of(value_of<V>(draw_number(random_, type_of<V>))); }

  /// Draws x, and solves for it on both sides of the border before row `at` of A. Returns the
  /// larger error there, in epsilons of the larger x; below 0 if the border's equations do not tell
  /// x. `of_lapack` becomes that of LAPACK.
  template <pivoting P>
  double error_at(const tridiagonal& a, index_t at, double& of_lapack) {
    std::vector<wide> x(a.d.size());
    for (wide& v : x) v = number();
    std::vector<wide> b = product(a, x);
    for (wide& v : b) v = wide_of(value_of<V>(v));
    const auto left = borders_of<V, P>(a, b, at - kChunk, kChunk).last;
    const auto right = borders_of<V, P>(a, b, at, kChunk).first;
    gtsv(type_of<V>, a, b);
    V x_left, x_right;
    if (!is_known(left) || !is_known(right) || !meet(left, right, x_left, x_right)) return -1;
    const auto row = static_cast<std::size_t>(at);
    const auto size = std::max(std::abs(x[row - 1]), std::abs(x[row]));
    const auto error = [&](const wide& on_left, const wide& on_right) {
      const auto most = std::max(std::abs(on_left - x[row - 1]), std::abs(on_right - x[row]));
      return static_cast<double>(most / size / std::numeric_limits<real>::epsilon());
    };
    of_lapack = error(b[row - 1], b[row]);
    return error(wide_of(x_left), wide_of(x_right));
  }

  rng random_ = random_for("Border");
};

using all_values =
    ::testing::Types<float, double, tridia::core::complex<float>, tridia::core::complex<double>>;
TYPED_TEST_SUITE(Border, all_values);

TYPED_TEST(Border, OfDominantRowsTellsX) {
  for (int k = 0; k < 20; ++k) {
    const tridiagonal a = this->make(5);
    double of_lapack = 0;
    const index_t at = (1 + k % 2) * this->kChunk;
    const double plain = this->template error_at<pivoting::none>(a, at, of_lapack);
    EXPECT_GE(plain, 0);
    EXPECT_LE(plain, 200);
    const double pivoted = this->template error_at<pivoting::partial>(a, at, of_lapack);
    EXPECT_GE(pivoted, 0);
    EXPECT_LE(pivoted, 200);
  }
}

TYPED_TEST(Border, OfRowsThatNeedPivotingTellsXMostly) {
  int told = 0;
  for (int k = 0; k < 100; ++k) {
    double of_lapack = 0;
    const double error = this->template error_at<pivoting::partial>(
        this->make(0), (1 + k % 2) * this->kChunk, of_lapack);
    if (error < 0) continue;
    ++told;
    EXPECT_LE(error, 1000 * (of_lapack + 1));
  }
  EXPECT_GE(told, 50);
}

/// X at both ends of a whole system, each found from an equation of its own, solves both equations
/// of the system, unless these are nearly parallel: then it is left to whoever solves them
/// together.
TYPED_TEST(Border, EndsOfAShortSystemSolveItsEquations) {
  using V = TypeParam;
  using chunk = tridia::core::chunk<V, pivoting::partial>;
  int left = 0;
  for (int k = 0; k < 2000; ++k) {
    tridiagonal a(2);
    for (std::size_t i = 0; i < 2; ++i) a.d[i] = this->number();
    a.du[0] = this->number(), a.dl[1] = this->number();
    const std::vector<wide> b{this->number(), this->number()};
    chunk_rows<V> rows{a, b, 0};
    typename chunk::middle middle;
    const auto e = border_reduction<V>::at_borders(chunk::template reduce<false>(2, rows, middle));
    if (!is_known(e.first) || !is_known(e.last)) {
      ++left;
      continue;
    }
    const border_equation<V> beyond{V(1), V(0), V(0)};
    V before, first, last, after;
    ASSERT_TRUE(bool(meet(beyond, e.first, before, first)));
    ASSERT_TRUE(bool(meet(e.last, beyond, last, after)));
    const std::vector<term> terms{{0, 0, a.d[0]}, {0, 1, a.du[0]}, {1, 0, a.dl[1]}, {1, 1, a.d[1]}};
    EXPECT_LE(backward_error(terms, {wide_of(first), wide_of(last)}, b), 10 * epsilon(type_of<V>));
  }
  EXPECT_GT(left, 20);
  EXPECT_LT(left, 1000);
}

/// A number at the other end that is as large as the coupling to it is small counts.
TYPED_TEST(Border, SeesWhatIsLargeAtTheOtherEnd) {
  using V = TypeParam;
  const double large = 1 / epsilon(type_of<V>), small = 1 / (8 * large);
  const V one(1), through = value_of<V>(small), far = value_of<V>(large);
  const typename border_reduction<V>::plain chunk{{V(0), through, one}, {V(0), V(0), far}};
  const auto e = border_reduction<V>::at_borders(chunk);
  EXPECT_TRUE(is_known(e.first));
  EXPECT_EQ(wide_of(e.first.rhs), wide(1 - 0.125L));
}

/// The couplings through rows of (-1, 2, -1) do not vanish.
TYPED_TEST(Border, OfRowsThatDoNotDecayTellsNothing) {
  tridiagonal a(this->kRows);
  for (std::size_t k = 0; k < a.d.size(); ++k) a.dl[k] = a.du[k] = -1, a.d[k] = 2;
  a.dl.front() = a.du.back() = 0;
  double of_lapack = 0;
  for (const index_t at : {this->kChunk, 2 * this->kChunk}) {
    EXPECT_LT(this->template error_at<pivoting::none>(a, at, of_lapack), 0);
    EXPECT_LT(this->template error_at<pivoting::partial>(a, at, of_lapack), 0);
  }
}

/// Equations that say nearly the same about x are left to whoever knows all others, and so are
/// those that are not finite.
TYPED_TEST(Border, IsNotMetWhereEquationsAreParallel) {
  using V = TypeParam;
  const auto tells = [](const border_equation<V>& left, const border_equation<V>& right) {
    V x_left, x_right;
    return bool(meet(left, right, x_left, x_right));
  };
  const V one(1), half = value_of<V>(0.5), nearly = value_of<V>(0.999);
  EXPECT_TRUE(tells({one, half, one}, {one, half, one}));
  EXPECT_FALSE(tells({one, nearly, one}, {one, nearly, one}));
  EXPECT_FALSE(tells({V(0), one, one}, {one, V(0), one}));
  const V none = tridia::core::not_a_number<V>();
  EXPECT_FALSE(tells({none, none, none}, {one, half, one}));
  EXPECT_FALSE(tells({one, half, one}, {one, none, one}));
}

/// What is not finite is in an equation at least.
TYPED_TEST(Border, KeepsWhatIsNotFinite) {
  using V = TypeParam;
  tridiagonal a = this->make(5);
  std::vector<wide> b(a.d.size(), 1);
  b[7] = std::numeric_limits<long double>::quiet_NaN();
  const auto plain = borders_of<V, pivoting::none>(a, b, 0, this->kChunk);
  EXPECT_FALSE(tridia::core::is_finite(plain.first.rhs) && tridia::core::is_finite(plain.last.rhs));
  a.d[50] = std::numeric_limits<long double>::quiet_NaN();
  EXPECT_FALSE(is_known(borders_of<V, pivoting::none>(a, b, 0, this->kChunk).first));
  EXPECT_FALSE(is_known(borders_of<V, pivoting::partial>(a, b, 0, this->kChunk).first));
}

}  // namespace
}  // namespace tridia_test
