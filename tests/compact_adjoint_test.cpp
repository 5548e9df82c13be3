// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests compare adjoints of operators with the transposed matrix, and check <op(u), v> = <u,
// adjoint(v)>. Every layout against the reference is in compact_layout_test.cpp.
#include "tridia/compact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "support/allocations.hpp"
#include "support/lines.hpp"
#include "support/operators.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "support/scalar.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

std::string text_of(const scheme& s) {
  return s.name() + ", " + std::string(name(s.quantity())) + ", " +
         std::string(name(s.staggering()));
}

/// Says what lies beyond the two ends of a line.
struct line_ends {
  boundary around;
  end_condition head, tail;
};

std::string text_of(const line_ends& e) {
  if (e.around == boundary::periodic) return "periodic";
  return std::string(name(e.head)) + " to " + std::string(name(e.tail));
}

/// Returns each kind of end at the head and at the tail, and pairs of different kinds.
std::vector<line_ends> all_ends(const scheme& s) {
  constexpr end_condition kinds[] = {end_condition::closure, end_condition::symmetric,
                                     end_condition::antisymmetric, end_condition::symmetric_half,
                                     end_condition::antisymmetric_half};
  const std::size_t count = s.staggering() == staggering::none ? std::size(kinds) : 3;
  std::vector<line_ends> all{{boundary::periodic, end_condition::closure, end_condition::closure}};
  for (std::size_t k = 0; k < count; ++k) {
    all.push_back({boundary::regular, kinds[k], kinds[k]});
    all.push_back({boundary::regular, kinds[k], kinds[(k + 1) % count]});
  }
  return all;
}

void set_ends(grid& g, const line_ends& e) {
  g.boundary = e.around, g.head = e.head, g.tail = e.tail;
}

/// Sets a metric for the results of an operator, if it may have one.
void stretch(grid& g, const scheme& s) {
  if (s.quantity() != quantity::first_derivative) return;
  const compact_operator flat(s, g);
  const index_t rows = flat.out_extents()[static_cast<std::size_t>(
      g.axis < 0 ? g.axis + std::ssize(g.extents) : g.axis)];
  for (index_t i = 0; i < rows; ++i)
    g.metric.push_back(1.5 + std::sin(0.4 * static_cast<double>(i)));
}

grid transposed(grid g, operation how = operation::transpose) {
  g.operation = how;
  return g;
}

// ---- the matrix ----

/// Holds the matrix of an operator on lines of g's points, row after row of its transpose: the
/// operator is applied to the lines of an identity.
struct matrix {
  index_t rows, columns;
  std::vector<double> transpose;
  double at(index_t i, index_t j) const {
    return transpose[static_cast<std::size_t>(j * rows + i)];
  }
};

matrix matrix_of(const scheme& s, const closure& c, grid g, backend where) {
  const index_t points = g.extents[0];
  const index_t columns = compact_operator(s, c, g).in_extents()[0];
  g.extents = {columns, points};
  const compact_operator op(s, c, g, {.backend = where});
  EXPECT_EQ(op.in_extents(), (std::vector{columns, columns}));
  const index_t rows = op.out_extents()[1];
  std::vector<double> in(static_cast<std::size_t>(columns * columns), 0);
  for (index_t j = 0; j < columns; ++j) in[static_cast<std::size_t>(j * (columns + 1))] = 1;
  matrix m{rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns))};
  apply_anywhere(op, in, m.transpose);
  return m;
}

/// Compares the adjoint's matrix with the transposed one; false where the operator is refused, as
/// its adjoint must be then.
bool expect_transposed_matrix(const scheme& s, const closure& c, const grid& g,
                              const std::string& what) {
  bool is_refused = false;
  try {
    (void)compact_operator(s, c, g);
  } catch (const error&) {
    is_refused = true;
  }
  for (const backend where : every_backend()) {
    const std::string label = what + ", " + std::string(name(where));
    if (is_refused) {
      EXPECT_THROW(compact_operator(s, c, transposed(g), {.backend = where}), error) << label;
      continue;
    }
    const matrix a = matrix_of(s, c, g, backend::reference);
    const matrix b = matrix_of(s, c, transposed(g), where);
    EXPECT_EQ(a.rows, b.columns) << label;
    EXPECT_EQ(a.columns, b.rows) << label;
    double largest = 0, difference = 0;
    for (index_t i = 0; i < a.rows; ++i) {
      for (index_t j = 0; j < a.columns; ++j) {
        largest = std::max(largest, std::abs(a.at(i, j)));
        // This is not std::max, which would lose a NaN.
        const double d = std::abs(a.at(i, j) - b.at(j, i));
        if (!(d <= difference)) difference = d;
      }
    }
    EXPECT_LE(difference, 1e-12 * largest) << label;
  }
  return !is_refused;
}

TEST(CompactAdjoint, IsTheTransposedMatrix) {
  for (const scheme& s : all_schemes()) {
    for (const line_ends& e : all_ends(s)) {
      for (const index_t points : {25, 26, 60}) {
        grid g;
        g.extents = {points};
        g.spacing = 0.5;
        set_ends(g, e);
        stretch(g, s);
        EXPECT_TRUE(expect_transposed_matrix(
            s, default_closure(s), g,
            text_of(s) + ", " + text_of(e) + ", " + std::to_string(points)));
      }
    }
  }
}

TEST(CompactAdjoint, IsTheTransposedMatrixWithEveryClosure) {
  for (const scheme& s : all_schemes()) {
    for (const std::string& closure_name : all_closures(s)) {
      grid g;
      g.extents = {32};
      expect_transposed_matrix(s, find_closure(s, closure_name), g,
                               text_of(s) + ", " + closure_name);
    }
  }
}

TEST(CompactAdjoint, ShortestLines) {
  for (const scheme& s : all_schemes()) {
    for (const line_ends& e : all_ends(s)) {
      bool fits = false;
      for (index_t points = 1; points < 24; ++points) {
        grid g;
        g.extents = {points};
        set_ends(g, e);
        fits = expect_transposed_matrix(
            s, default_closure(s), g,
            text_of(s) + ", " + text_of(e) + ", " + std::to_string(points));
      }
      EXPECT_TRUE(fits);
    }
  }
}

TEST(CompactAdjoint, OfSchemesOfOnesOwn) {
  grid g;
  g.extents = {44};
  g.boundary = boundary::periodic;
  for (const int first : {-40, 39}) {  // almost a line away
    const scheme far("far", quantity::first_derivative, staggering::none,
                     {0, 1, 0, first, {-1, 1}});
    EXPECT_TRUE(expect_transposed_matrix(far, closure("none", far.quantity(), far.staggering(), {}),
                                         g, "far"));
  }
  // The scheme is upwind, with ends that are not each other's mirror images, and of different
  // lengths.
  g.boundary = boundary::regular;
  const scheme upwind("upwind", quantity::first_derivative, staggering::none,
                      {0.1, 1.0, 0.2, -2, {0.4875, -2.1775, 1.5925, 0.0975}});
  const closure ends("one-sided", upwind.quantity(), upwind.staggering(),
                     {{0, 1, 0.5, 0, {-1.5, 1.5}}, {0, 1, 0, -1, {-1, 1}}},
                     {{0, 1, 0, -1, {-1, 1}}});
  EXPECT_TRUE(expect_transposed_matrix(upwind, ends, g, "upwind"));
  // No row reads the last two points.
  const scheme backward("backward", quantity::first_derivative, staggering::none,
                        {0, 1, 0, -1, {-1, 1}});
  const closure skips("skips", backward.quantity(), backward.staggering(), {{0, 1, 0, 0, {-1, 1}}},
                      {{0, 1, 0, -2, {-1, 1}}, {0, 1, 0, -3, {-1, 1}}});
  EXPECT_TRUE(expect_transposed_matrix(backward, skips, g, "skips"));
}

// ---- the dot product ----

template <class T>
std::complex<double> dot(const std::vector<T>& a, const std::vector<T>& b) {
  std::complex<double> sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    sum += std::complex<double>(a[k]) * std::conj(std::complex<double>(b[k]));
  return sum;
}
template <class T>
double norm(const std::vector<T>& a) {
  return std::sqrt(dot(a, a).real());
}

/// Checks the dot products with arrays that are dense in C order.
template <class T>
void expect_dot_products(rng& random, const scheme& s, grid g, backend where, operation how,
                         const std::string& what) {
  g.type = value_type_of<T>;
  const compact_operator op(s, g, {.backend = where});
  const compact_operator adjoint(s, transposed(g, how), {.backend = where});
  ASSERT_EQ(adjoint.in_extents(), op.out_extents());
  ASSERT_EQ(adjoint.out_extents(), g.extents);
  const auto u = random_values<T>(random, count_of(g.extents, g.fields));
  const auto v = random_values<T>(random, count_of(op.out_extents(), g.fields));
  std::vector<T> forward(v.size()), back(u.size());
  apply_anywhere(op, u, forward);
  apply_anywhere(adjoint, v, back);
  const bool is_narrow = g.type == value_type::f32 || g.type == value_type::c64;
  const double size = norm(forward) * norm(v) + norm(u) * norm(back);
  EXPECT_LE(std::abs(dot(forward, v) - dot(u, back)), (is_narrow ? 2e-6 : 1e-12) * size)
      << what << ", " << name(g.type) << ", " << name(where);
}

template <class T>
class CompactAdjointDot : public testing::Test {};
using value_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CompactAdjointDot, value_types);

TYPED_TEST(CompactAdjointDot, EverySchemeEndAxisAndMetric) {
  rng random = random_for("CompactAdjointDot");
  int turn = 0;
  for (const scheme& s : all_schemes()) {
    for (const line_ends& e : all_ends(s)) {
      for (int axis = 0; axis < 3; ++axis) {
        for (const bool stretched : {false, true}) {
          if (stretched && s.quantity() != quantity::first_derivative) continue;
          grid g;
          g.extents = {5, 6, 7};
          g.extents[static_cast<std::size_t>(axis)] = 28 + turn % 15;
          g.axis = axis;
          g.spacing = 0.1;
          g.fields = 1 + turn % 2;
          set_ends(g, e);
          if (stretched) stretch(g, s);
          const auto how = turn % 2 == 0 ? operation::transpose : operation::conjugate_transpose;
          for (const backend where : every_backend()) {
            expect_dot_products<TypeParam>(random, s, g, where, how,
                                           text_of(s) + ", " + text_of(e) + ", axis " +
                                               std::to_string(axis) +
                                               (stretched ? ", stretched" : ""));
          }
          ++turn;
        }
      }
    }
  }
}

/// These lines take many threads, and kernels for parts of lines.
TEST(CompactAdjoint, LongAndManyLines) {
  rng random = random_for("CompactAdjoint.LongAndManyLines");
  const scheme schemes[] = {find_scheme(quantity::first_derivative, "C6"),
                            find_scheme(quantity::first_derivative, "C8", staggering::to_points),
                            find_scheme(quantity::interpolation, "C4", staggering::to_midpoints),
                            find_scheme(quantity::second_derivative, "C8"),
                            find_scheme(quantity::third_derivative, "C6"),
                            find_scheme(quantity::fourth_derivative, "C6"),
                            find_scheme(quantity::filter, "F10")};
  for (const scheme& s : schemes) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      for (const bool interleaved : {false, true}) {
        for (const index_t points : {700, 2500, 20011, 100003}) {
          grid g;
          const index_t lines = points < 10000 ? 67 : 3;
          g.extents = interleaved ? std::vector{points, lines} : std::vector{lines, points};
          g.axis = interleaved ? 0 : 1;
          g.boundary = ends;
          for (const backend where : every_backend()) {
            expect_dot_products<double>(random, s, g, where, operation::transpose,
                                        text_of(s) + ", " + std::to_string(points));
          }
        }
      }
    }
  }
}

// ---- arrays ----

/// Returns a grid with a metric and ends that differ, for the C8 first derivative.
grid some_grid(int axis) {
  grid g;
  g.extents = {60, 90};
  g.axis = axis;
  g.head = end_condition::symmetric;
  const double rows = static_cast<double>(g.extents[static_cast<std::size_t>(axis)]);
  for (double i = 0; i < rows; ++i) g.metric.push_back(1 + 0.3 * std::sin(i));
  return g;
}

TEST(CompactAdjoint, WorksInPlaceAndAdds) {
  const scheme c8 = find_scheme(quantity::first_derivative, "C8");
  rng random = random_for("CompactAdjoint.WorksInPlaceAndAdds");
  for (const backend where : every_backend()) {
    for (const int axis : {0, 1}) {
      for (const bool stretched : {false, true}) {
        grid g = some_grid(axis);
        if (!stretched) g.metric.clear();
        const compact_operator op(c8, transposed(g), {.backend = where});
        const auto in = random_values<double>(random, 5400);
        std::vector<double> expected(5400), field = in, stepped = in, sum(5400, 0.5);
        apply_anywhere(op, in, expected);
        apply_anywhere(op, field, field);
        EXPECT_EQ(field, expected) << name(where) << ' ' << axis;
        apply_anywhere(op, stepped, stepped, -0.25);
        apply_anywhere(op, in, sum, 2.0);
        for (std::size_t k = 0; k < in.size(); ++k) {
          EXPECT_NEAR(stepped[k], in[k] - 0.25 * expected[k], 1e-14);
          EXPECT_NEAR(sum[k], 0.5 + 2 * expected[k], 1e-14);
        }
      }
    }
  }
}

TEST(CompactAdjoint, LinesDoNotTouchEachOther) {
  const scheme c8 = find_scheme(quantity::first_derivative, "C8");
  rng random = random_for("CompactAdjoint.LinesDoNotTouchEachOther");
  for (const backend where : every_backend()) {
    for (const int axis : {0, 1}) {
      const compact_operator op(c8, transposed(some_grid(axis)), {.backend = where});
      auto field = random_values<double>(random, 5400);
      std::vector<double> clean(5400), out(5400);
      apply_anywhere(op, field, clean);
      field[90 * 7 + 11] = std::nan("");
      apply_anywhere(op, field, out);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool is_spoilt = axis == 0 ? i % 90 == 11 : i / 90 == 7;
        if (!is_spoilt) {
          EXPECT_EQ(out[i], clean[i]) << name(where) << ' ' << i;
        }
      }
    }
  }
}

TEST(CompactAdjoint, ResultsDoNotDependOnThreads) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6", staggering::to_points);
  rng random = random_for("CompactAdjoint.ResultsDoNotDependOnThreads");
  for (const int axis : {0, 1}) {
    grid g;
    g.extents = {200, 300};
    g.axis = axis;
    g.operation = operation::transpose;
    const compact_operator one(c6, g, {.threads = 1}), three(c6, g, {.threads = 3});
    EXPECT_EQ(one.threads(), 1);
    EXPECT_EQ(three.threads(), 3);
    const auto in = random_values<double>(random, count_of(one.in_extents()));
    std::vector<double> a(count_of(g.extents)), b(a);
    one.apply(in.data(), a.data());
    three.apply(in.data(), b.data());
    EXPECT_EQ(a, b);
  }
}

TEST(CompactAdjoint, ApplyingAllocatesNothing) {
  expect_applying_allocates_nothing(
      {find_scheme(quantity::first_derivative, "C8"), transposed(some_grid(0)), {.threads = 1}});
}

TEST(CompactAdjoint, EmptyArraysAreFine) {
  grid g;
  g.operation = operation::transpose;
  g.extents = {0, 30};
  for (const backend where : every_backend()) {
    const compact_operator op(find_scheme(quantity::first_derivative, "C6"), g, {.backend = where});
    if (where != backend::cuda) op.apply<double>(nullptr, nullptr);
  }
}

template <class T>
void expect_zeros(const compact_operator& adjoint) {
  const std::size_t count = count_of(adjoint.out_extents());
  const std::vector<T> nothing;
  std::vector<T> out(count, static_cast<T>(std::nan(""))), sum(count, static_cast<T>(0.5));
  apply_anywhere(adjoint, nothing, out);
  apply_anywhere(adjoint, nothing, sum, 2.0);
  EXPECT_EQ(out, std::vector<T>(count, T(0))) << name(adjoint.backend());
  EXPECT_EQ(sum, std::vector<T>(count, static_cast<T>(0.5))) << name(adjoint.backend());
}

/// Lines of one point have no midpoint. The adjoint of an operator without results is zero.
TEST(CompactAdjoint, OfLinesWithoutResultsIsZero) {
  const scheme halves("two points", quantity::interpolation, staggering::to_midpoints,
                      {0, 1, 0, 0, {0.5, 0.5}});
  const closure none("none", halves.quantity(), halves.staggering(), {});
  for (const int axis : {0, 1, 2}) {
    for (const bool is_narrow : {false, true}) {
      grid g;
      g.type = is_narrow ? value_type::f32 : value_type::f64;
      g.extents = {3, 4, 2};
      g.extents[static_cast<std::size_t>(axis)] = 1;
      g.axis = axis;
      for (const backend where : every_backend()) {
        const compact_operator op(halves, none, g, {.backend = where});
        const compact_operator adjoint(halves, none, transposed(g), {.backend = where});
        EXPECT_EQ(count_of(op.out_extents()), 0);
        EXPECT_EQ(count_of(adjoint.in_extents()), 0);
        ASSERT_EQ(adjoint.out_extents(), g.extents);
        is_narrow ? expect_zeros<float>(adjoint) : expect_zeros<double>(adjoint);
      }
    }
  }
}

/// A scheme that reads a point alone takes lines of any length.
TEST(CompactAdjoint, OfLinesWithoutPoints) {
  const scheme same("same", quantity::filter, staggering::none, {0, 1, 0, 0, {1}});
  const closure none("none", same.quantity(), same.staggering(), {});
  grid g;
  g.extents = {3, 0};
  for (const backend where : every_backend()) {
    const compact_operator adjoint(same, none, transposed(g), {.backend = where});
    expect_zeros<double>(adjoint);
  }
}

TEST(CompactAdjoint, SaysWhatItIs) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  grid g = some_grid(0);
  EXPECT_EQ(compact_operator(c6, g).description(),
            "C6 first_derivative, closure 3-4-6-4-3: out = scale A^-1 B in");
  EXPECT_EQ(compact_operator(c6, transposed(g)).description(),
            "adjoint of C6 first_derivative, closure 3-4-6-4-3: out = B^T A^-T scale in");
  // Long lines are cut into parts, and the adjoint into steps where there is a metric,
  g.extents[0] = 10000;
  g.metric.assign(10000, 2);
  EXPECT_EQ(compact_operator(c6, transposed(g)).description(),
            "adjoint of C6 first_derivative, closure 3-4-6-4-3: out = B^T A^-T scale in, in three "
            "steps through a field in the workspace");
  // or lines of `in` and `out` differ in their number of points.
  g.metric.clear();
  EXPECT_EQ(compact_operator(c6, transposed(g)).description(),
            "adjoint of C6 first_derivative, closure 3-4-6-4-3: out = B^T A^-T scale in");
  const scheme staggered = find_scheme(quantity::interpolation, "C4", staggering::to_midpoints);
  EXPECT_EQ(compact_operator(staggered, transposed(g)).description(),
            "adjoint of C4 interpolation to_midpoints, closure 4-4-4: out = B^T A^-T scale in, in "
            "two steps through a field in the workspace");
  g.boundary = boundary::periodic;
  EXPECT_EQ(compact_operator(staggered, transposed(g)).description(),
            "adjoint of C4 interpolation to_midpoints: out = B^T A^-T scale in");
}

TEST(CompactAdjoint, RefusesBadInput) {
  grid g;
  g.extents = {6, 40};
  const scheme staggered = find_scheme(quantity::first_derivative, "C6", staggering::to_midpoints);
  for (const backend where : every_backend()) {
    expect_refusal(errc::invalid_argument, {"operation", "9"}, [&] {
      compact_operator(staggered, transposed(g, static_cast<operation>(9)), {.backend = where});
    });
    // The metric belongs to the operator's results, though the adjoint reads those.
    grid stretched = g;
    stretched.metric.assign(40, 1);
    expect_refusal(errc::invalid_argument, {"metric", "40", "39"},
                   [&] { compact_operator(staggered, transposed(stretched), {.backend = where}); });
    grid strided = g;
    strided.in_strides = {39, 1};
    strided.out_strides = {39, 1};  // of lines of 40 points
    expect_refusal(errc::invalid_argument, {"out", "overlap"},
                   [&] { compact_operator(staggered, transposed(strided), {.backend = where}); });
  }
  const compact_operator op(staggered, transposed(g));
  EXPECT_EQ(op.in_extents(), (std::vector<index_t>{6, 39}));
  EXPECT_EQ(op.out_extents(), (std::vector<index_t>{6, 40}));
  std::vector<double> a(500), b(240);
  expect_refusal(errc::invalid_argument, {"in", "null", "(1, 6, 39)"},
                 [&] { op.apply<double>(nullptr, b.data()); });
  expect_refusal(errc::invalid_argument, {"out", "null", "(1, 6, 40)"},
                 [&] { op.apply<double>(a.data(), nullptr); });
  expect_refusal(errc::invalid_argument, {"out", "overlap", "in"},
                 [&] { op.apply(a.data(), a.data()); });
  std::vector<std::byte> little(op.workspace_bytes() - 1);
  expect_refusal(errc::invalid_argument, {"workspace", std::to_string(little.size())}, [&] {
    op.apply(a.data(), b.data(), {.workspace = little.data(), .workspace_bytes = little.size()});
  });
}

}  // namespace
}  // namespace tridia_test
