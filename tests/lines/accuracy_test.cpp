// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/accuracy.hpp"
#include "support/flat_lines.hpp"
#include "support/matrices.hpp"
#include "tridia/solve_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Lines solved on a CPU from functions, with partial pivoting, beside LAPACK's xGTSV.
namespace tridia_test {
namespace {

/// Reads rows of lines along the last axis of a grid, of one line or of several beside each other.
template <class T>
struct rows_of {
  flat_lines<T>& all;

  [[nodiscard]] tridia::field<const T, 2> read(const std::vector<T>& a) const {
    return {a.data(), {all.n, 1}};
  }
  template <class Point>
  auto operator()(const Point& p) const {
    using V = tridia::value_at<T, Point>;
    return tridia::row<V>{read(all.dl)(p), read(all.d)(p), read(all.du)(p), {read(all.b)(p)}};
  }
};
template <class T>
struct solution_of {
  flat_lines<T>& all;
  template <class Point, class V>
  void operator()(const Point& p, const V& v) const {
    const tridia::field<T, 2> x{all.x.data(), {all.n, 1}};
    x(p) = v;
  }
};

template <class T>
void expect_near_lapack(tridia::value_type type, int number) {
  rng random = random_for(std::string("lines") + matrix_name(number));
  // One of the matrices is singular for an odd number of rows.
  for (const index_t rows : {38, 512}) {
    const auto draws = draw_systems(number, rows, type, random);
    flat_lines<T> all(draws);
    std::vector<int> status(draws.size(), 77);
    tridia::solve_lines<T, tridia::boundary::regular, tridia::pivoting::partial>(
        tridia::line_grid<2, 1>{{all.lines, all.n}}, rows_of<T>{all}, solution_of<T>{all},
        {.status = status});
    expect_solved({status.begin(), status.end()}, draws);
    const accuracy a = all.errors(draws, type);
    EXPECT_TRUE(is_near_lapack(a, draws, type))
        << matrix_name(number) << ", " << rows << " rows: " << a.ratio << " times LAPACK's error";
  }
}

class LinesAccuracy : public ::testing::TestWithParam<int> {};

TEST_P(LinesAccuracy, NearLapackF64) {
  expect_near_lapack<double>(tridia::value_type::f64, GetParam());
}
TEST_P(LinesAccuracy, NearLapackF32) {
  expect_near_lapack<float>(tridia::value_type::f32, GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, LinesAccuracy, ::testing::Range(1, kAccuracyMatrices + 1));

}  // namespace
}  // namespace tridia_test
