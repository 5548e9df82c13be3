// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests ask chunks about sizes: rows scaled by powers of two, graded systems, numbers below
// the normal ones, and growth where no rows are interchanged.
#include "support/chunked_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/complex.hpp"
#include "support/core_values.hpp"
#include "support/matrices.hpp"
#include "support/oracle.hpp"

namespace tridia_test {
namespace {

/// Tests complex numbers about as small as normal ones, of which one part, or both, may be
/// subnormal.
template <class R>
void expect_spared() {
  using V = tridia::core::complex<R>;
  rng random = random_for("crossing");
  for (int run = 0; run < 10'000; ++run) {
    const auto part = [&] {
      const double size = flip(random) ? 0 : std::exp2(draw(random, -4, 4));
      const double shift = static_cast<double>(draw_number(random, type_of<R>).real());
      return static_cast<R>(size * (1 + std::fabs(shift))) * std::numeric_limits<R>::min();
    };
    const V x{part(), part()}, y{part(), part()};
    const V crossed = tridia::core::cross_elimination<V>::sparing(x, y).cross(V{1, 2}, V{3, 4});
    EXPECT_TRUE(tridia::core::is_finite(crossed))
        << x.re << ' ' << x.im << ", " << y.re << ' ' << y.im;
  }
}
TEST(CrossElimination, SparesWhatIsLessThanNormal) {
  expect_spared<float>();
  expect_spared<double>();
}

/// Tests that the quotient of the factors is neither too large nor too small on average.
template <class R>
void expect_unbiased() {
  constexpr int runs = 100'000;
  rng random = random_for("quotients");
  long double sum = 0;
  for (int run = 0; run < runs; ++run) {
    const auto entry = [&] {
      return static_cast<R>((flip(random) ? -1 : 1) * std::exp2(draw(random, -1, 1)));
    };
    const R x = entry(), y = entry();
    const tridia::core::cross_elimination<R> c(x, y);
    const R a = c.cross_second(R(1)), minus_b = c.cross_first(R(1));
    ASSERT_EQ(std::fabs(c.second() ? minus_b : a), 1) << x << ' ' << y;
    sum += -static_cast<long double>(minus_b) / a * x / y - 1;
  }
  EXPECT_LT(std::fabs(sum / runs), 0.02L * std::numeric_limits<R>::epsilon());
}
TEST(CrossElimination, FactorsHaveNoBias) {
  expect_unbiased<float>();
  expect_unbiased<double>();
}

/// Returns a system with each row multiplied by a different power of two.
template <class V>
chunked_system<V> with_rows_scaled(const chunked_system<V>& s, index_t most, rng& random) {
  using real = typename tridia::core::value_traits<V>::real;
  chunked_system<V> t = s;
  for (std::size_t k = 0; k < t.rows.size(); ++k) {
    const auto by = static_cast<real>(draw_size(random, most).real());
    for (V* v : {&t.rows[k].sub, &t.rows[k].diag, &t.rows[k].sup, &t.rhs[k]})
      *v = tridia::core::scaled(*v, by);
  }
  return t;
}

template <class V>
void expect_same_with_rows_scaled(index_t most) {
  rng random = random_for("rows scaled");
  const auto number = [&] { return value_of<V>(draw_number(random, type_of<V>)); };
  for (int run = 0; run < 200; ++run) {
    chunked_system<V> s;
    const index_t n = draw(random, 1, 60), rows = draw(random, 1, 20);
    for (index_t k = 0; k < n; ++k) {
      s.rows.push_back({k > 0 ? number() : V(0), number(), k + 1 < n ? number() : V(0)});
      s.rhs.push_back(number());
    }
    s.make_room();
    chunked_system<V> t = with_rows_scaled(s, most, random);
    rng merges = random;  // the same order of merges for both
    solve_by_chunks<V, pivoting::partial, boundary::regular>(s, rows, merges);
    merges = random;
    solve_by_chunks<V, pivoting::partial, boundary::regular>(t, rows, merges);
    for (std::size_t k = 0; k < s.x.size(); ++k)
      EXPECT_EQ(wide_of(s.x[k]), wide_of(t.x[k])) << n << " rows in chunks of " << rows;
  }
}
TEST(Chunk, ScalingRowsByPowersOfTwoChangesNothing) {
  expect_same_with_rows_scaled<float>(60);
  expect_same_with_rows_scaled<double>(400);
  expect_same_with_rows_scaled<tridia::core::complex<double>>(400);
}

/// Returns the largest residual of a row over the sizes of what is added up for it.
double componentwise_error(const chunked_system<double>& s) {
  double largest = 0;
  for (std::size_t k = 0; k < s.x.size(); ++k) {
    const auto& r = s.rows[k];
    long double residual = -static_cast<long double>(s.rhs[k]), sum = std::fabs(s.rhs[k]);
    const auto add = [&](double a, double x) {
      residual += static_cast<long double>(a) * x, sum += std::fabs(a * x);
    };
    if (k > 0) add(r.sub, s.x[k - 1]);
    add(r.diag, s.x[k]);
    if (k + 1 < s.x.size()) add(r.sup, s.x[k + 1]);
    if (sum > 0) largest = std::max(largest, static_cast<double>(std::fabs(residual) / sum));
  }
  return largest;
}

/// Returns a random system whose entries have the size of a row's factor times a column's factor.
chunked_system<double> graded_system(index_t n, rng& random) {
  const auto size = [&](index_t most) {
    return std::exp2(static_cast<double>(draw(random, -most, most)));
  };
  const auto number = [&] {
    return value_of<double>(draw_number(random, tridia::value_type::f64));
  };
  std::vector<double> columns;
  for (index_t k = 0; k < n; ++k) columns.push_back(size(6));
  chunked_system<double> s;
  for (index_t k = 0; k < n; ++k) {
    const double of_row = size(200);
    const auto entry = [&](index_t column) {
      if (column < 0 || column == n) return 0.0;
      return number() * of_row * columns[static_cast<std::size_t>(column)];
    };
    const double sub = entry(k - 1), diag = entry(k), sup = entry(k + 1);
    s.rows.push_back({sub, diag, sup});
    s.rhs.push_back(of_row * number());
  }
  s.make_room();
  return s;
}

TEST(Chunk, IsExactInEveryRowOfGradedSystems) {
  rng random = random_for("graded");
  std::vector<double> errors(101);
  for (double& error : errors) {
    chunked_system<double> s = graded_system(draw(random, 200, 300), random);
    EXPECT_TRUE((solve_by_chunks<double, pivoting::partial, boundary::regular>(
        s, draw(random, 1, 40), random)));
    error = componentwise_error(s);
  }
  std::nth_element(errors.begin(), errors.begin() + 50, errors.end());
  // Each error is the largest of some hundred rows; unscaled rows lose all digits in some of them.
  EXPECT_LE(errors[50], 10 * kBackwardBound * epsilon(tridia::value_type::f64));
}

/// Returns whether growth is bounded when a matrix is solved without interchanges, in chunks of 17
/// rows.
bool is_bounded(const tridiagonal& a) {
  using chunk = tridia::core::chunk<double, pivoting::none>;
  constexpr index_t rows = 17;
  chunked_system<double> s;
  for (std::size_t k = 0; k < a.d.size(); ++k) {
    s.rows.push_back(
        {value_of<double>(a.dl[k]), value_of<double>(a.d[k]), value_of<double>(a.du[k])});
    s.rhs.push_back(1);
  }
  s.make_room();
  std::vector<growth_monitor> monitors(static_cast<std::size_t>((a.rows() + rows - 1) / rows));
  const auto monitor_of = [&](index_t k) -> growth_monitor& {
    return monitors[static_cast<std::size_t>(k)];
  };
  equations_of<double, pivoting::none> e;
  for (index_t k = 0; k * rows < a.rows(); ++k) {
    chunk_rows<double> r{s, static_cast<std::size_t>(k * rows)};
    e.push_back(chunk::reduce<true>(std::min(rows, a.rows() - k * rows), r, monitor_of(k)));
  }
  const pcr_group<double> all(e, monitor_of);
  return std::all_of(monitors.begin(), monitors.end(), [](const auto& w) { return w.bounded; });
}
/// In the middle of dorr(1e-4) all but the last digit cancel where two chunks meet, though no
/// number grows: their outer couplings are as small as the pivot. Solved so, its x fit each other
/// to two digits (a componentwise backward error of 1e-2).
TEST(Chunk, CancellationBetweenChunksIsNotCalm) {
  rng random = random_for("calm");
  EXPECT_FALSE(is_bounded(klein_strzodka(13, 512, 1e15, random)));
  tridiagonal laplacian(4096);
  std::fill(laplacian.d.begin(), laplacian.d.end(), 2);
  std::fill(laplacian.dl.begin() + 1, laplacian.dl.end(), -1);
  std::fill(laplacian.du.begin(), laplacian.du.end() - 1, -1);
  EXPECT_TRUE(is_bounded(laplacian));
}

TEST(UnitScale, BringsNumbersNearOne) {
  const auto expect_near_one = [](auto a) {
    using R = decltype(a);
    using limits = std::numeric_limits<R>;
    const R scaled = a * tridia::core::unit_scale(tridia::core::exponent_of(a), R(1));
    EXPECT_GE(std::fabs(scaled), R(std::fabs(a) < limits::min() ? 0 : 1)) << a;
    EXPECT_LT(std::fabs(scaled), R(std::fabs(a) > limits::max() / 2 ? 4 : 2)) << a;
  };
  for (int e = -1074; e < 1024; ++e) expect_near_one(std::ldexp(-1.75, e));
  for (int e = -149; e < 128; ++e) expect_near_one(std::ldexp(1.75f, e));
  expect_near_one(0.0), expect_near_one(0.0f);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(inf * tridia::core::unit_scale(tridia::core::exponent_of(inf), 1.0), inf);
}

}  // namespace
}  // namespace tridia_test
