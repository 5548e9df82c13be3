// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests compare operators on N-dimensional arrays, of every type and layout, with the
// reference. Memory beside an array is never read or written, and bad input is refused.
#include "tridia/compact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "support/lines.hpp"
#include "support/operators.hpp"
#include "support/refusal.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

/// Holds strides of an array whose axes are stored in `order` (the slowest first), each but the
/// slowest padded by `pad` elements, and the number of elements from a field to the next.
struct storage {
  std::vector<index_t> strides;
  index_t step = 1;

  storage(const std::vector<index_t>& extents, const std::vector<std::size_t>& order, index_t pad)
      : strides(extents.size()) {
    for (std::size_t k = order.size(); k-- > 0;) {
      strides[order[k]] = step;
      step *= extents[order[k]] + pad;
    }
  }
};

/// Calls f with the offset of every element of `fields` arrays.
template <class F>
void for_each_element(const std::vector<index_t>& extents, const storage& s, index_t fields, F f) {
  index_t count = fields;
  for (const index_t e : extents) count *= e;
  for (index_t i = 0; i < count; ++i) {
    index_t rest = i, at = 0;
    for (std::size_t k = extents.size(); k-- > 0;) {
      at += rest % extents[k] * s.strides[k];
      rest /= extents[k];
    }
    f(at + rest * s.step, i);
  }
}

template <class T>
T value_at(index_t i) {
  const double x =
      std::sin(0.37 * static_cast<double>(i)) + 0.1 * std::cos(1.9 * static_cast<double>(i));
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else {
    using R = typename T::value_type;
    return {static_cast<R>(x), static_cast<R>(std::cos(0.11 * static_cast<double>(i)))};
  }
}

template <class T>
T poison() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else {
    using R = typename T::value_type;
    return {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN()};
  }
}

/// Holds two arrays of an operator, each in its own layout; everything except their elements is
/// poisoned.
template <class T>
struct arrays {
  std::vector<T> in, out;
};

template <class T>
arrays<T> make_arrays(const compact_operator& op, const storage& in, const storage& out) {
  const index_t fields = op.grid().fields;
  arrays<T> a{std::vector<T>(in.step * fields, poison<T>()),
              std::vector<T>(out.step * fields, poison<T>())};
  for_each_element(op.in_extents(), in, fields,
                   [&](index_t at, index_t i) { a.in[at] = value_at<T>(i); });
  for_each_element(op.out_extents(), out, fields,
                   [&](index_t at, index_t i) { a.out[at] = value_at<T>(7 * i); });
  return a;
}

/// Returns the tolerance for a scheme: the second derivative's closure has coefficients of up to
/// 27, and a pivot of 1/10, those of higher ones coefficients of up to 81.
template <class T>
double tolerance(const scheme& s) {
  const bool is_high = s.quantity() == quantity::second_derivative ||
                       s.quantity() == quantity::third_derivative ||
                       s.quantity() == quantity::fourth_derivative;
  const double magnitude = is_high ? 20 : 1;
  return magnitude *
         (sizeof(T) == sizeof(float) || std::is_same_v<T, std::complex<float>> ? 2e-5 : 5e-14);
}

/// Runs each backend on the same arrays: elements must be the reference's, and the rest of `out`
/// unchanged.
template <class T>
void expect_agreement(const scheme& s, grid g, const std::vector<std::size_t>& order, index_t pad,
                      bool accumulate, const std::string& what) {
  g.type = value_type_of<T>;
  const compact_operator dense(s, g);
  const storage in(dense.in_extents(), order, pad), out(dense.out_extents(), order, 2 * pad);
  g.in_strides = in.strides, g.out_strides = out.strides;
  g.in_step = in.step, g.out_step = out.step;
  const arrays<T> before = make_arrays<T>(dense, in, out);
  const auto result_on = [&](backend where) {
    arrays<T> a = before;
    apply_anywhere(compact_operator(s, g, {.backend = where}), a.in, a.out,
                   accumulate ? std::optional(-1.5) : std::nullopt);
    return std::move(a.out);
  };
  const std::vector<T> expected = result_on(backend::reference);
  std::vector<bool> is_element(before.out.size(), false);
  for_each_element(dense.out_extents(), out, g.fields,
                   [&](index_t at, index_t) { is_element[at] = true; });
  for (const backend where : every_backend()) {
    if (where == backend::reference) continue;
    const std::vector<T> result = result_on(where);
    const std::string label = what + ", " + std::string(name(where));
    double largest = 0;
    for (std::size_t k = 0; k < result.size(); ++k) {
      if (is_element[k]) {
        const double error = std::abs(expected[k] - result[k]);
        if (!(error <= largest)) largest = error;
      } else {
        ASSERT_EQ(std::memcmp(&result[k], &before.out[k], sizeof(T)), 0) << label << ' ' << k;
      }
    }
    EXPECT_LT(largest, tolerance<T>(s)) << label;
  }
}

template <class T>
class CompactLayout : public testing::Test {};
using value_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CompactLayout, value_types);

TYPED_TEST(CompactLayout, EveryAxisOrderPaddingAndBoundary) {
  const scheme schemes[] = {find_scheme(quantity::first_derivative, "C6"),
                            find_scheme(quantity::second_derivative, "C4"),
                            find_scheme(quantity::third_derivative, "C6"),
                            find_scheme(quantity::fourth_derivative, "C6"),
                            find_scheme(quantity::first_derivative, "C8", staggering::to_midpoints),
                            find_scheme(quantity::interpolation, "C6", staggering::to_points),
                            find_scheme(quantity::filter, "F8")};
  const std::vector<std::size_t> orders[] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}};
  int variant = 0;
  for (const scheme& s : schemes) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const auto& order : orders) {
        for (const index_t pad : {0, 3}) {
          grid g;
          // A GPU has other kernels for lines of 24 rows and more.
          g.extents = variant / 2 % 2 == 0 ? std::vector<index_t>{17, 19, 23}
                                           : std::vector<index_t>{27, 40, 33};
          g.axis = axis;
          g.fields = 1 + variant % 3;
          // Boundaries and additions alternate.
          g.boundary = variant % 4 == 1 ? boundary::periodic : boundary::regular;
          if (variant % 4 == 2) g.head = end_condition::symmetric;
          if (variant % 4 == 3) g.tail = end_condition::antisymmetric;
          for (const operation how : {operation::none, operation::transpose}) {
            g.operation = how;
            expect_agreement<TypeParam>(s, g, order, pad, variant % 5 < 2,
                                        s.name() + " axis " + std::to_string(axis) + " variant " +
                                            std::to_string(variant) + ' ' + std::string(name(how)));
          }
          ++variant;
        }
      }
    }
  }
}

/// These cases have strips that are not full, hundreds of lines, and results written past the
/// cache.
TYPED_TEST(CompactLayout, ManyLines) {
  const scheme s = find_scheme(quantity::first_derivative, "C6");
  for (const index_t lines : {1, 2, 31, 33, 257, 1500}) {
    for (const int axis : {0, 1}) {
      grid g;
      g.extents = axis == 0 ? std::vector<index_t>{77, lines} : std::vector<index_t>{lines, 77};
      g.axis = axis;
      for (const operation how : {operation::none, operation::transpose}) {
        g.operation = how;
        const std::string what = std::to_string(lines) + ' ' + std::string(name(how));
        expect_agreement<TypeParam>(s, g, {0, 1}, 0, false, what);
        expect_agreement<TypeParam>(s, g, {0, 1}, 1, true, what);
      }
    }
  }
}

/// These cases have strips of whole vectors side by side, some with lines left over, closed and
/// periodic, and a stencil that is longer than any of the library's.
TYPED_TEST(CompactLayout, WideRows) {
  compact_row row{.sub = 0.25, .diag = 1, .sup = 0.25, .first = -6, .weights = {}};
  row.weights.assign(13, 0);
  row.weights[5] = -0.75, row.weights[7] = 0.75;
  const scheme schemes[] = {find_scheme(quantity::first_derivative, "C6"),
                            find_scheme(quantity::interpolation, "C8", staggering::to_midpoints),
                            find_scheme(quantity::filter, "F10"),
                            scheme("long", quantity::first_derivative, staggering::none, row)};
  for (const scheme& s : schemes) {
    for (const int axis : {0, 1}) {
      for (const boundary ends : {boundary::regular, boundary::periodic}) {
        if (s.name() == "long" && ends == boundary::regular) continue;  // has no closure
        grid g;
        g.extents = axis == 0 ? std::vector<index_t>{70, 640} : std::vector<index_t>{3, 70, 341};
        g.axis = axis;
        g.boundary = ends;
        const std::vector<std::size_t> order =
            axis == 0 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0, 1, 2};
        for (const operation how : {operation::none, operation::transpose}) {
          g.operation = how;
          const std::string what =
              s.name() + " axis " + std::to_string(axis) + ' ' + std::string(name(how));
          expect_agreement<TypeParam>(s, g, order, 0, false, what);
          expect_agreement<TypeParam>(s, g, order, 0, true, what);
        }
      }
    }
  }
}

/// Returns a scheme for every stencil shape of the library's schemes: where it begins, and how wide
/// it is.
std::vector<scheme> every_stencil() {
  std::vector<scheme> all;
  for (const scheme& s : all_schemes()) {
    const compact_row& row = s.interior();
    const bool known = std::any_of(all.begin(), all.end(), [&](const scheme& other) {
      return other.interior().first == row.first &&
             other.interior().weights.size() == row.weights.size();
    });
    if (!known) all.push_back(s);
  }
  return all;
}

/// Says how lines lie: apart, so that each begins at a multiple of 16 bytes; dense, so that only
/// some do; or interleaved.
enum class lying { apart, dense, interleaved };
constexpr lying kLyings[] = {lying::apart, lying::dense, lying::interleaved};

template <class T>
void expect_periodic_agreement(const scheme& s, index_t points, index_t lines, lying how) {
  if (points < static_cast<index_t>(s.interior().weights.size())) return;
  grid g;
  g.boundary = boundary::periodic;
  const bool interleaved = how == lying::interleaved;
  g.extents = interleaved ? std::vector{points, lines} : std::vector{lines, points};
  g.axis = interleaved ? 0 : 1;
  const index_t pad = how == lying::dense ? 0 : static_cast<index_t>(16 / sizeof(T));
  expect_agreement<T>(s, g, {0, 1}, pad, false,
                      s.name() + ' ' + std::to_string(points) + " points, " +
                          std::to_string(lines) + " lines, " +
                          (interleaved ? "interleaved" : std::to_string(pad) + " between them"));
}

// A GPU copies the points around lines that the stencil needs, beside lines of any length.
TYPED_TEST(CompactLayout, PeriodicLinesOfEveryLength) {
  const std::vector<scheme> schemes = every_stencil();
  ASSERT_GE(schemes.size(), 6);
  std::size_t turn = 0;
  for (index_t points = 3; points <= 200; ++points) {
    for (const lying how : kLyings) {
      // There are many lines, of which a GPU has several in a tile, for the shortest lines and for
      // some others.
      const bool is_short = points < 33;
      for (std::size_t k = 0; k < (is_short ? schemes.size() : 2); ++k) {
        expect_periodic_agreement<TypeParam>(schemes[turn % schemes.size()], points,
                                             turn % 13 == 0 ? 601 : 1 + points % 9, how);
        ++turn;
      }
    }
    if (this->HasFailure()) return;
  }
}

// Lines that follow each other are moved in one piece by a GPU if they are short or begin anywhere;
// the last tile may end anywhere. Neighbouring short lines have tiles of their own.
TYPED_TEST(CompactLayout, RegularLinesOfEveryLength) {
  const scheme narrow = find_scheme(quantity::first_derivative, "C6"),
               wide = find_scheme(quantity::filter, "F10");
  constexpr index_t shortest = 4, shortest_wide = 10;
  for (index_t points = shortest; points <= 80; ++points) {
    const index_t lines = points % 3 == 0 ? 1 + points % 9 : 601 + points % 2;
    for (const bool interleaved : {false, true}) {
      grid g;
      g.extents = interleaved ? std::vector{points, lines} : std::vector{lines, points};
      g.axis = interleaved ? 0 : 1;
      for (const operation how : {operation::none, operation::transpose}) {
        g.operation = how;
        const std::string what = std::to_string(points) + " points, " + std::to_string(lines) +
                                 (interleaved ? " interleaved lines " : " lines ") +
                                 std::string(name(how));
        expect_agreement<TypeParam>(narrow, g, {0, 1}, 0, points % 5 == 0, what);
        if (points < shortest_wide) continue;
        expect_agreement<TypeParam>(wide, g, {0, 1}, 0, points % 5 == 0, what);
      }
    }
    if (this->HasFailure()) return;
  }
}

// This test runs few of these cases, for compute-sanitizer's racecheck: lengths with less than 128
// bytes of a line, which is what lines are moved with, and the next ones.
TYPED_TEST(CompactLayout, RacecheckOfPeriodicLines) {
  const scheme narrow = find_scheme(quantity::first_derivative, "C4"),
               wide = find_scheme(quantity::filter, "F10");
  for (const index_t points : {12, 16, 24, 25, 26, 27, 28, 29, 30, 31, 32}) {
    for (const lying how : kLyings) {
      for (const scheme& s : {narrow, wide}) {
        expect_periodic_agreement<TypeParam>(s, points, points % 4 == 0 ? 601 : 5, how);
      }
    }
  }
}

template <class T>
std::vector<T> values(index_t count) {
  std::vector<T> all(static_cast<std::size_t>(count));
  for (index_t i = 0; i < count; ++i) all[i] = value_at<T>(i);
  return all;
}

template <class T>
std::vector<T> applied(const grid& g, options o, std::size_t shift = 0) {
  index_t count = 1;
  for (const index_t e : g.extents) count *= e;
  std::vector<T> in = values<T>(count), out(count + shift);
  compact_operator(find_scheme(quantity::first_derivative, "C8"), g, o)
      .apply(in.data(), out.data() + shift);
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(shift));
  return out;
}

TEST(CompactArrays, ResultsDoNotDependOnThreadsNorOnAddresses) {
  for (const int axis : {0, 1, 2}) {
    grid g;
    g.extents = {40, 150, 700};  // larger than most caches, for results that go past them
    g.axis = axis;
    const auto one = applied<double>(g, {.threads = 1});
    for (const std::size_t shift : {0, 1, 5}) {
      EXPECT_EQ(one, applied<double>(g, {.threads = 3}, shift)) << axis << ' ' << shift;
      // With more threads, results are written in another way.
      EXPECT_EQ(one, applied<double>(g, {.threads = 5}, shift)) << axis << ' ' << shift;
    }
  }
}

TEST(CompactArrays, InPlace) {
  for (const backend where : every_backend()) {
    for (const int axis : {0, 1}) {
      grid g;
      g.extents = {60, 90};
      g.axis = axis;
      const compact_operator op(find_scheme(quantity::first_derivative, "C8"), g,
                                {.backend = where});
      std::vector<double> field = values<double>(5400), expected(5400);
      apply_anywhere(op, field, expected);
      auto stepped = field;
      apply_anywhere(op, stepped, stepped, 0.5);
      for (std::size_t i = 0; i < field.size(); ++i) {
        EXPECT_NEAR(stepped[i], field[i] + 0.5 * expected[i], 1e-14);
      }
      apply_anywhere(op, field, field);
      EXPECT_EQ(field, expected) << name(where) << ' ' << axis;
    }
  }
}

TEST(CompactArrays, LinesDoNotTouchEachOther) {
  for (const backend where : every_backend()) {
    for (const auto& [n, axis] : {std::pair{40, 0}, {40, 1}, {41, 1}, {12, 1}}) {
      grid g;
      g.extents = {40, n};
      g.axis = axis;
      const compact_operator op(find_scheme(quantity::first_derivative, "C8"), g,
                                {.backend = where});
      const index_t all = index_t{40} * n, spoilt = index_t{7} * n + 11;
      std::vector<double> field = values<double>(static_cast<std::size_t>(all)),
                          clean(field.size()), out(field.size());
      apply_anywhere(op, field, clean);
      field[static_cast<std::size_t>(spoilt)] = std::nan("");
      apply_anywhere(op, field, out);
      for (index_t i = 0; i < all; ++i) {
        if (axis == 0 ? i % n == 11 : i / n == 7) continue;
        const auto at = static_cast<std::size_t>(i);
        EXPECT_EQ(out[at], clean[at]) << name(where) << ' ' << i;
      }
      EXPECT_TRUE(std::isnan(out[static_cast<std::size_t>(spoilt)]));
    }
  }
}

TEST(CompactArrays, EmptyArraysAreFine) {
  grid g;
  g.extents = {0, 30};
  const compact_operator op(find_scheme(quantity::first_derivative, "C6"), g);
  op.apply<double>(nullptr, nullptr);
  g.extents = {4, 30};
  g.fields = 0;
  compact_operator(find_scheme(quantity::first_derivative, "C6"), g)
      .apply<double>(nullptr, nullptr);
}

// ---- bad input ----

struct bad_grid {
  const char* label;
  std::vector<std::string> words;
  void (*spoil)(grid&);
};

class CompactBadGrid : public testing::TestWithParam<bad_grid> {};

TEST_P(CompactBadGrid, IsRefused) {
  grid g;
  g.extents = {8, 30};
  GetParam().spoil(g);
  for (const backend where : every_backend()) {
    expect_refusal(errc::invalid_argument, GetParam().words, [&] {
      compact_operator(find_scheme(quantity::first_derivative, "C6"), g, {.backend = where});
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Grids, CompactBadGrid,
    testing::Values(
        bad_grid{"no_axis", {"extents", "empty"}, [](grid& g) { g.extents = {}; }},
        bad_grid{"negative",
                 {"extents", "-1"},
                 [](grid& g) {
                   g.extents = {-1, 30};
                 }},
        bad_grid{"axis", {"axis", "2", "(8, 30)", "-2 to 1"}, [](grid& g) { g.axis = 2; }},
        bad_grid{"too_small",
                 {"extents", "3", "C6", "3-4-6-4-3", "4"},
                 [](grid& g) {
                   g.extents = {30, 3};
                 }},
        bad_grid{"too_small_periodic",
                 {"extents", "4", "C6", "5"},
                 [](grid& g) {
                   g.extents = {30, 4}, g.boundary = boundary::periodic;
                 }},
        bad_grid{"too_small_mirror",
                 {"extents", "2", "symmetric"},
                 [](grid& g) {
                   g.extents = {30, 2}, g.head = g.tail = end_condition::symmetric;
                 }},
        bad_grid{"spacing_zero", {"spacing", "0"}, [](grid& g) { g.spacing = 0; }},
        bad_grid{"spacing_nan", {"spacing", "nan"}, [](grid& g) { g.spacing = std::nan(""); }},
        bad_grid{"spacing_infinite", {"spacing", "inf"}, [](grid& g) { g.spacing = INFINITY; }},
        bad_grid{"metric_size", {"metric", "29", "30"}, [](grid& g) { g.metric.assign(29, 1); }},
        bad_grid{"metric_sign",
                 {"metric", "entry 7", "-1", "sign"},
                 [](grid& g) { g.metric.assign(30, 1), g.metric[7] = -1; }},
        bad_grid{"metric_zero",
                 {"metric", "entry 7", "not 0"},
                 [](grid& g) { g.metric.assign(30, 1), g.metric[7] = 0; }},
        bad_grid{"metric_nan",
                 {"metric", "entry 0", "nan"},
                 [](grid& g) { g.metric.assign(30, std::nan("")); }},
        bad_grid{"fields", {"fields", "-2"}, [](grid& g) { g.fields = -2; }},
        bad_grid{"in_strides",
                 {"in_strides", "1 entries", "(8, 30)"},
                 [](grid& g) { g.in_strides = {1}; }},
        bad_grid{"out_strides",
                 {"out", "overlap"},
                 [](grid& g) {
                   g.out_strides = {0, 1};
                 }},
        bad_grid{"step",
                 {"out_step", "0", "2 fields"},
                 [](grid& g) {
                   g.out_strides = {30, 1}, g.fields = 2;
                 }},
        bad_grid{"huge",
                 {"in", "64-bit"},
                 [](grid& g) {
                   g.extents = {index_t{1} << 40, index_t{1} << 40};
                 }},
        bad_grid{"type", {"type", "9"}, [](grid& g) { g.type = static_cast<value_type>(9); }},
        bad_grid{"head", {"head", "9"}, [](grid& g) { g.head = static_cast<end_condition>(9); }},
        bad_grid{
            "boundary", {"boundary", "9"}, [](grid& g) { g.boundary = static_cast<boundary>(9); }}),
    [](const auto& p) { return std::string(p.param.label); });

TEST(CompactRefusals, WhatDoesNotGoTogether) {
  grid g;
  g.extents = {40};
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  const scheme c8 = find_scheme(quantity::first_derivative, "C8");
  const scheme second = find_scheme(quantity::second_derivative, "C6");
  const scheme staggered = find_scheme(quantity::first_derivative, "C6", staggering::to_midpoints);
  expect_refusal(errc::invalid_argument, {"closure", "3-4-6-4-3", "2 rows", "C8", "3"},
                 [&] { compact_operator(c8, default_closure(c6), g); });
  expect_refusal(errc::invalid_argument, {"closure", "first_derivative", "second_derivative"},
                 [&] { compact_operator(second, default_closure(c6), g); });
  expect_refusal(errc::invalid_argument, {"closure", "to_midpoints"},
                 [&] { compact_operator(c6, default_closure(staggered), g); });
  grid half = g;
  half.head = end_condition::symmetric_half;
  expect_refusal(errc::invalid_argument, {"head", "symmetric_half", "staggered"},
                 [&] { compact_operator(staggered, half); });
  grid stretched = g;
  stretched.metric.assign(40, 1);
  expect_refusal(errc::invalid_argument, {"metric", "second_derivative"},
                 [&] { compact_operator(second, stretched); });
  expect_refusal(errc::invalid_argument, {"metric", "first", "fourth_derivative"}, [&] {
    compact_operator(find_scheme(quantity::fourth_derivative, "C4"), stretched);
  });
  expect_refusal(errc::unsupported, {"algorithm", "thomas"},
                 [&] { compact_operator(c6, g, {.algorithm = algorithm::thomas}); });
  expect_refusal(errc::invalid_argument, {"threads", "-1"},
                 [&] { compact_operator(c6, g, {.threads = -1}); });
}

TEST(CompactRefusals, BadArrays) {
  grid g;
  g.extents = {6, 40};
  const compact_operator op(find_scheme(quantity::first_derivative, "C6"), g);
  std::vector<double> a(500), b(240);
  expect_refusal(errc::invalid_argument, {"in", "null", "(1, 6, 40)"},
                 [&] { op.apply<double>(nullptr, b.data()); });
  expect_refusal(errc::invalid_argument, {"out", "null"},
                 [&] { op.apply<double>(a.data(), nullptr); });
  expect_refusal(errc::invalid_argument, {"out", "overlap", "in"},
                 [&] { op.apply(a.data(), a.data() + 40); });
  expect_refusal(errc::invalid_argument, {"f32", "f64"}, [&] {
    std::vector<float> f(240);
    op.apply(f.data(), f.data());
  });
  expect_refusal(errc::invalid_argument, {"workspace", "0 bytes"},
                 [&] { op.apply(a.data(), b.data(), {}); });
  std::vector<std::byte> little(op.workspace_bytes() - 1);
  expect_refusal(errc::invalid_argument, {"workspace", std::to_string(little.size())}, [&] {
    op.apply(a.data(), b.data(), {.workspace = little.data(), .workspace_bytes = little.size()});
  });
  const compact_operator staggered(
      find_scheme(quantity::first_derivative, "C6", staggering::to_midpoints), g);
  expect_refusal(errc::invalid_argument, {"out", "overlap"},
                 [&] { staggered.apply(a.data(), a.data()); });
}

}  // namespace
}  // namespace tridia_test
