// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests compare the recurrences of core/recurrence.hpp, chunk by chunk as threads of a GPU
// take them, with the plain elimination.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/recurrence.hpp"
#include "line_operator/constant.hpp"

namespace tridia_test {
namespace {

using tridia::core::recurrence_chunk;

constexpr int kRows = 5;
using chunk = recurrence_chunk<double, kRows>;

struct factors {
  const double *lowers, *inverses, *uppers;
  double lower(int i) const { return lowers[i]; }
  double inverse(int i) const { return inverses[i]; }
  double upper(int i) const { return uppers[i]; }
};

/// Returns x of A x = b by chunks, which are reduced, carried from one to the next, and expanded.
/// With `around`, the value that leaves the line comes in again.
std::vector<double> solve(const tridia::line_operator::recurrences& r,
                          const std::vector<double>& b) {
  const std::size_t n = b.size(), chunks = (n + kRows - 1) / kRows;
  const auto padded = [&](const std::vector<tridia::line_operator::wide>& part, double beyond) {
    std::vector<double> out(chunks * kRows, beyond);
    for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<double>(part[k].re.v);
    return out;
  };
  const auto lower = padded(r.lower, -1), inverse = padded(r.inverse, 0),
             upper = padded(r.upper, -1);
  std::vector<chunk> all(chunks);
  std::vector<factors> of(chunks);
  for (std::size_t q = 0; q < chunks; ++q) {
    const std::size_t k0 = q * kRows;
    of[q] = {&lower[k0], &inverse[k0], &upper[k0]};
    for (std::size_t i = 0; i < kRows; ++i) all[q].value[i] = k0 + i < n ? b[k0 + i] : 0;
  }
  const auto through = [](const double* of_rows) {
    return tridia::core::chunk_factor<double>(kRows, [&](int i) { return of_rows[i]; });
  };
  double carry = 0;
  if (r.cyclic) {
    for (std::size_t q = 0; q < chunks; ++q)
      carry = all[q].down_end(of[q]) + through(of[q].lowers) * carry;
    carry *= static_cast<double>(r.closing_down.re.v);
  }
  for (std::size_t q = 0; q < chunks; ++q) {
    const double end = all[q].down_end(of[q]) + through(of[q].lowers) * carry;
    all[q].down(of[q], carry);
    carry = end;
  }
  carry = 0;
  if (r.cyclic) {
    for (std::size_t q = chunks; q-- > 0;)
      carry = all[q].back_end(of[q]) + through(of[q].uppers) * carry;
    carry *= static_cast<double>(r.closing_back.re.v);
  }
  for (std::size_t q = chunks; q-- > 0;) {
    const double end = all[q].back_end(of[q]) + through(of[q].uppers) * carry;
    all[q].back(of[q], carry);
    carry = end;
  }
  std::vector<double> x;
  for (std::size_t k = 0; k < n; ++k) x.push_back(all[k / kRows].value[k % kRows]);
  return x;
}

tridia::line_operator::constant_matrix matrix(std::size_t n, tridia::boundary ends,
                                              const tridia::near_toeplitz& a) {
  tridia::problem p;
  p.boundary = ends;
  p.matrix = a;
  return tridia::line_operator::make_constant_matrix(p, static_cast<tridia::index_t>(n));
}

double residual(const tridia::line_operator::constant_matrix& a, const std::vector<double>& x,
                const std::vector<double>& b) {
  const std::size_t n = x.size();
  double worst = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const auto& r = a.rows[k];
    const long double left =
        r.sub.re.v * x[(k + n - 1) % n] + r.diag.re.v * x[k] + r.sup.re.v * x[(k + 1) % n] - b[k];
    worst = std::max(worst, static_cast<double>(std::fabs(left)));
  }
  return worst;
}

TEST(Recurrence, SolvesByChunks) {
  const tridia::near_toeplitz compact{
      .interior = {1.0 / 3, 1, 1.0 / 3}, .head = {{0, 1, 2}, {0.25, 1, 0.25}}, .tail = {{2, 1, 0}}};
  for (const std::size_t n : {4U, 5U, 6U, 24U, 25U, 101U}) {
    std::vector<double> b;
    for (std::size_t k = 0; k < n; ++k) b.push_back(std::sin(3.7 * static_cast<double>(k * k)));
    for (const auto ends : {tridia::boundary::regular, tridia::boundary::periodic}) {
      const bool periodic = ends == tridia::boundary::periodic;
      for (const auto& given : {compact, tridia::near_toeplitz{.interior = {-1, 2, -1}},
                                tridia::near_toeplitz{.interior = {0.5, -3, 1.25}}}) {
        if (periodic && given.interior.d == 2.0) continue;  // singular
        const auto a = matrix(n, ends, periodic ? tridia::near_toeplitz{given.interior} : given);
        const auto r = tridia::line_operator::make_recurrences(a);
        ASSERT_TRUE(r) << n;
        EXPECT_EQ(r->cyclic, periodic);
        EXPECT_LT(residual(a, solve(*r, b), b), 1e-13 * static_cast<double>(n)) << n;
      }
    }
  }
}

/// Factors that are known are as good as an elimination of one's own, bit by bit; where they
/// interchange rows they are not used.
TEST(Recurrence, AreTheSameOfKnownFactors) {
  using tridia::line_operator::make_recurrences, tridia::line_operator::wide;
  const auto expect_same = [](const std::vector<wide>& a, const std::vector<wide>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].re.v, b[k].re.v) << k;
      EXPECT_EQ(a[k].im.v, b[k].im.v) << k;
    }
  };
  constexpr int any_growth = 1 << 20;
  int interchanged = 0;
  for (const auto& given : std::vector<tridia::near_toeplitz>{
           {.interior = {1.0 / 3, 1, 1.0 / 3}, .head = {{0, 1, 2}}, .tail = {{2, 1, 0}}},
           {.interior = {2.0 / 11, 1, 2.0 / 11}, .head = {{0, 1, 11}, {0.1, 1, 0.1}}},
           {.interior = {-1, 2, -1}},
           {.interior = {0.5, -3, 1.25}},
           {.interior = {1.25, 1, 0.125}},
           {.interior = {1, 0, 1}}}) {
    for (const std::size_t n : {2U, 3U, 24U, 101U}) {
      const auto a = matrix(n, tridia::boundary::regular, given);
      const auto expected = make_recurrences(a, any_growth);
      for (const auto p : {tridia::pivoting::none, tridia::pivoting::partial}) {
        const auto known = tridia::line_operator::eliminate(a, p);
        for (tridia::index_t k = 0; k < known.rows; ++k) interchanged += row_of(known, k).swapped;
        const auto found = make_recurrences(a, any_growth, &known);
        ASSERT_EQ(found.has_value(), expected.has_value()) << n;
        if (!found) continue;
        expect_same(found->lower, expected->lower);
        expect_same(found->inverse, expected->inverse);
        expect_same(found->upper, expected->upper);
      }
    }
  }
  EXPECT_GT(interchanged, 0);
}

TEST(Recurrence, NotWhereNumbersWouldGrow) {
  using tridia::line_operator::make_recurrences;
  const auto regular = tridia::boundary::regular, periodic = tridia::boundary::periodic;
  // The first matrix has a pivot of zero without interchanges; in the next ones, products of
  // multipliers grow from row to row.
  EXPECT_FALSE(make_recurrences(matrix(6, regular, {.interior = {1, 0, 1}})));
  const auto second_derivative = matrix(40, regular,
                                        {.interior = {2.0 / 11, 1, 2.0 / 11},
                                         .head = {{0, 1, 11}, {0.1, 1, 0.1}},
                                         .tail = {{0.1, 1, 0.1}, {11, 1, 0}}});
  EXPECT_FALSE(make_recurrences(second_derivative));
  EXPECT_TRUE(make_recurrences(second_derivative, 32));
  EXPECT_FALSE(make_recurrences(matrix(40, regular, {.interior = {3, 1, 0.1}})));
  // This matrix is not circulant.
  EXPECT_FALSE(
      make_recurrences(matrix(40, periodic, {.interior = {1, 4, 1}, .head = {{1, 5, 1}}})));
}

}  // namespace
}  // namespace tridia_test
