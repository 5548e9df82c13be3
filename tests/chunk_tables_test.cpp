// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests compare the tables that a scan needs of saved factors (core/chunk_tables.hpp), made
// by teams of threads like a GPU's block, with their definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "core/chunk_tables.hpp"
#include "core/line.hpp"
#include "solver/system.hpp"
#include "support/random.hpp"
#include "support/team.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;
using tridia::core::chunk_cut;
using tridia::core::factored_recurrences;

template <class V>
struct matrix_rows {
  std::vector<tridia::core::row<V>> at;
  void fetch(index_t, index_t) {}
  const tridia::core::row<V>& get(index_t k) const { return at[static_cast<std::size_t>(k)]; }
};

double number(rng& random, double) {
  return static_cast<double>(draw_number(random, tridia::value_type::f64).real());
}
tridia::core::complex<double> number(rng& random, tridia::core::complex<double>) {
  const wide v = draw_number(random, tridia::value_type::c128);
  return {static_cast<double>(v.real()), static_cast<double>(v.imag())};
}

/// Returns a matrix with `diagonal` added to the middle of random rows.
template <class V>
matrix_rows<V> random_matrix(int n, int diagonal, rng& random) {
  matrix_rows<V> a;
  for (int k = 0; k < n; ++k) {
    const V zero(0);
    a.at.push_back({k > 0 ? number(random, V()) : zero, number(random, V()) + V(diagonal),
                    k + 1 < n ? number(random, V()) : zero});
  }
  return a;
}

template <class V, pivoting P>
struct kept {
  using elimination = tridia::core::elimination<V, P, boundary::regular>;
  int n;
  std::vector<V> words;
  explicit kept(matrix_rows<V> a)
      : n(static_cast<int>(a.at.size())),
        words(a.at.size() * (elimination::lower_values + elimination::upper_values)) {
    constexpr index_t of_row = elimination::lower_values + elimination::upper_values;
    tridia::solver::factor_rows<V, elimination> out{{words.data(), of_row, 1}};
    EXPECT_TRUE((tridia::core::factor_line<V, elimination>(n, {n, n}, a, out)));
  }
  factored_recurrences<V, elimination> rows() const { return {words.data(), n}; }
};

std::complex<long double> widened(double v) { return v; }
std::complex<long double> widened(const tridia::core::complex<double>& v) { return {v.re, v.im}; }

struct cut_tables {
  std::vector<std::complex<long double>> values, minus_products;
};
template <class V, class Rows>
cut_tables cut_by(int size, const chunk_cut& cut, const Rows& rows) {
  std::vector<V> values(static_cast<std::size_t>(cut.values())),
      products(static_cast<std::size_t>(cut.products()));
  by_team(size, [&](const team& t) {
    tridia::core::cut_values(cut, rows, values.data(), t);
    tridia::core::cut_products(cut, rows, products.data(), t);
  });
  cut_tables all;
  for (const V& v : values) all.values.push_back(widened(v));
  for (const V& v : products) all.minus_products.push_back(widened(v));
  return all;
}

/// Checks one entry after another, from the recurrences' definition.
template <class Rows>
void expect_right(const cut_tables& t, const chunk_cut& cut, const Rows& rows) {
  const int n = rows.count();
  for (int k = 0; k < cut.chunks * cut.rows; ++k) {
    const bool inside = k < n;
    const auto at = static_cast<std::size_t>(k / cut.rows * 3 * cut.rows + k % cut.rows);
    const auto step = static_cast<std::size_t>(cut.rows);
    EXPECT_EQ(t.values[at], inside ? widened(rows.lower(k)) : -1.0L);
    EXPECT_EQ(t.values[at + step], inside ? widened(rows.inverse(k)) : 0.0L);
    EXPECT_EQ(t.values[at + 2 * step], inside ? widened(rows.upper(k)) : -1.0L);
  }
  for (const bool back : {false, true}) {
    for (int i = 0; i < cut.steps; ++i) {
      for (int q = 0; q < cut.chunks; ++q) {
        const int first = back ? q : std::max(q + 1 - (1 << i), 0);
        const int last = back ? std::min(q + (1 << i), cut.chunks) : q + 1;
        std::complex<long double> product = 1;
        for (int k = first * cut.rows; k < std::min(last * cut.rows, n); ++k)
          product *= -widened(back ? rows.upper(k) : rows.lower(k));
        const int at = ((back ? cut.steps : 0) + i) * cut.chunks + q;
        const auto found = t.minus_products[static_cast<std::size_t>(at)];
        // A value that underflows is as good as zero.
        EXPECT_LE(std::abs(found + product), 1e-13L * std::abs(product) + 1e-300L)
            << (back ? "back " : "down ") << i << ' ' << q;
      }
    }
  }
}

template <class V, pivoting P>
void expect_right_of(int n, int chunk, rng& random) {
  const kept<V, P> factors(random_matrix<V>(n, 4, random));
  const chunk_cut cut{chunk, (n + chunk - 1) / chunk, 5};
  const cut_tables alone = cut_by<V>(1, cut, factors.rows());
  expect_right(alone, cut, factors.rows());
  const cut_tables together = cut_by<V>(7, cut, factors.rows());
  EXPECT_EQ(together.values, alone.values);
  EXPECT_EQ(together.minus_products, alone.minus_products);
  for (int k = 0; k < n; ++k) EXPECT_FALSE(factors.rows().interchanged(k));
}

TEST(ChunkTables, AreThoseOfTheFactors) {
  rng random = random_for("chunk tables");
  for (const auto& [n, chunk] :
       {std::pair{1, 5}, {4, 5}, {5, 5}, {24, 19}, {39, 5}, {100, 9}, {512, 19}, {700, 9}}) {
    expect_right_of<double, pivoting::none>(n, chunk, random);
    expect_right_of<double, pivoting::partial>(n, chunk, random);
    expect_right_of<tridia::core::complex<double>, pivoting::partial>(n, chunk, random);
    if (HasFailure()) FAIL() << n << " rows, " << chunk << " a chunk";
  }
}

TEST(ChunkTables, KnowOfInterchanges) {
  rng random = random_for("interchanges");
  for (int round = 0; round < 20; ++round) {
    const int n = 30, at = static_cast<int>(draw(random, 0, n - 2));
    matrix_rows<double> a = random_matrix<double>(n, 4, random);
    a.at[static_cast<std::size_t>(at) + 1].sub = 100;
    const kept<double, pivoting::partial> factors(a);
    for (int k = 0; k < at; ++k) EXPECT_FALSE(factors.rows().interchanged(k));
    EXPECT_TRUE(factors.rows().interchanged(at));
  }
}

/// Factors as they come.
struct given_rows {
  std::vector<double> lowers, inverses, uppers;
  [[nodiscard]] int count() const { return static_cast<int>(lowers.size()); }
  [[nodiscard]] double lower(int k) const { return lowers[static_cast<std::size_t>(k)]; }
  [[nodiscard]] double inverse(int k) const { return inverses[static_cast<std::size_t>(k)]; }
  [[nodiscard]] double upper(int k) const { return uppers[static_cast<std::size_t>(k)]; }
};

bool growth_is_bounded(const given_rows& rows, int growth, int size) {
  std::vector<tridia::core::amplification<double>> memory(static_cast<std::size_t>(size));
  std::vector<int> said(static_cast<std::size_t>(size));
  by_team(size, [&](const team& t) {
    said[static_cast<std::size_t>(t.rank())] =
        tridia::core::growth_is_bounded(rows, growth, memory.data(), t) ? 1 : 0;
  });
  EXPECT_EQ(said, std::vector<int>(said.size(), said[0]));
  return said[0] != 0;
}

/// Returns the largest product by trying all of them.
double largest_of(const std::vector<double>& factors) {
  double largest = 1;
  for (std::size_t first = 0; first < factors.size(); ++first) {
    double product = 1;
    for (std::size_t k = first; k < factors.size(); ++k)
      largest = std::max(largest, product *= std::fabs(factors[k]));
  }
  return largest;
}

TEST(ChunkTables, KnowHowErrorsGrow) {
  rng random = random_for("growth");
  int bounded = 0, wild = 0;
  for (int round = 0; round < 100; ++round) {
    given_rows rows;
    const auto n = static_cast<int>(draw(random, 1, 120));
    const double size = 0.9 + 0.004 * static_cast<double>(draw(random, 0, 200));
    for (int k = 0; k < n; ++k) {
      rows.lowers.push_back(k > 0 ? size * number(random, double()) : 0);
      rows.inverses.push_back(1 + 0.5 * number(random, double()));
      rows.uppers.push_back(k + 1 < n ? size * number(random, double()) : 0);
    }
    if (flip(random) && n > 1) rows.lowers[static_cast<std::size_t>(n / 2)] = 3;
    // The recurrences stay the same when numbers are scaled by a pivot, or its inverse.
    std::vector<double> lowers = rows.lowers, uppers = rows.uppers;
    for (std::size_t k = 1; k < lowers.size(); ++k) {
      const double ratio = rows.inverses[k] / rows.inverses[k - 1];
      lowers[k] *= ratio, uppers[k - 1] *= ratio;
    }
    const double largest = std::max(std::min(largest_of(rows.lowers), largest_of(lowers)),
                                    std::min(largest_of(rows.uppers), largest_of(uppers)));
    for (const int bound : {1, 2, 4, 32}) {
      const bool expected = largest <= bound;
      if (std::fabs(largest - bound) < 1e-9 && largest != bound) continue;
      EXPECT_EQ(growth_is_bounded(rows, bound, 1), expected) << largest << " of " << bound;
      EXPECT_EQ(growth_is_bounded(rows, bound, 5), expected) << largest << " of " << bound;
      (expected ? bounded : wild) += 1;
    }
  }
  EXPECT_GT(bounded, 30);
  EXPECT_GT(wild, 30);
}

TEST(ChunkTables, KnowOfOverflow) {
  const std::vector<double> half(40, 0.5), one(40, 1);
  const given_rows rows{half, one, half};
  EXPECT_TRUE(growth_is_bounded(rows, 4, 3));
  const double infinity = std::numeric_limits<double>::infinity();
  // These factors stand beside zeros, so that no product of all is a number.
  for (const std::size_t at : {1U, 6U, 7U, 20U, 39U}) {
    for (const double large : {1e200, infinity, std::numeric_limits<double>::quiet_NaN()}) {
      given_rows wild = rows;
      wild.uppers[at] = large;
      for (const std::size_t zero : {0U, 5U, 13U, 38U})
        if (zero != at) wild.uppers[zero] = 0;
      EXPECT_FALSE(growth_is_bounded(wild, 4, 1)) << at << ' ' << large;
      EXPECT_FALSE(growth_is_bounded(wild, 4, 3)) << at << ' ' << large;
    }
  }
}

given_rows factors_of(const matrix_rows<double>& a) {
  const kept<double, pivoting::none> factors(a);
  given_rows rows;
  for (int k = 0; k < factors.rows().count(); ++k) {
    rows.lowers.push_back(factors.rows().lower(k));
    rows.inverses.push_back(factors.rows().inverse(k));
    rows.uppers.push_back(factors.rows().upper(k));
  }
  return rows;
}

// Neither larger rows nor larger columns than others make the growth of a dominant matrix
// unbounded.
TEST(ChunkTables, DoNotMindScaledRowsOrColumns) {
  rng random = random_for("scaled");
  for (const bool by_rows : {true, false}) {
    matrix_rows<double> a = random_matrix<double>(100, 4, random);
    for (std::size_t k = 0; k < a.at.size(); ++k) {
      const double scale = std::exp2(static_cast<double>(draw(random, -20, 20)));
      a.at[k].diag *= scale;
      (by_rows ? a.at[k].sub : a.at[k > 0 ? k - 1 : k].sup) *= by_rows || k > 0 ? scale : 1;
      (by_rows ? a.at[k].sup : a.at[k + 1 < a.at.size() ? k + 1 : k].sub) *=
          by_rows || k + 1 < a.at.size() ? scale : 1;
    }
    const given_rows rows = factors_of(a);
    EXPECT_TRUE(growth_is_bounded(rows, 4, 3));
    EXPECT_GT(largest_of(by_rows ? rows.lowers : rows.uppers), 100);
  }
}

// Every factor is an ordinary number here, and nothing grows in the units of x; but products of
// some chunks underflow, or overflow, in those of right-hand sides.
TEST(ChunkTables, KnowWhatTheyCannotHold) {
  const auto graded = [](int from, int to) {
    matrix_rows<double> a;
    for (int e = from; e != to; e += to > from ? 5 : -5) {
      const double s = std::exp2(e);
      a.at.push_back({-s, 2 * s, -s});
    }
    return factors_of(a);
  };
  EXPECT_FALSE(growth_is_bounded(graded(900, -900), 4, 3));
  EXPECT_FALSE(growth_is_bounded(graded(-900, 900), 4, 3));
  EXPECT_TRUE(growth_is_bounded(graded(400, -400), 4, 3));
  EXPECT_TRUE(growth_is_bounded(graded(-400, 400), 4, 3));
}

}  // namespace
}  // namespace tridia_test
