// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// On a CPU, many systems that are neighbours in memory are solved row by row, side by side, whether
// they are right-hand sides of one matrix or have their own. The results must be those of each
// system alone.
#include "tridia/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

namespace tridia_test {
namespace {

using namespace tridia;

template <class T>
class WideRows : public testing::Test {};
using value_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(WideRows, value_types);

template <class T>
T value_at(index_t i) {
  return static_cast<T>(static_cast<float>(std::sin(0.37 * static_cast<double>(i))));
}

/// Holds one matrix, with its right-hand sides in an array solved along an axis.
template <class T>
struct shared_systems {
  problem p;
  std::vector<T> dl, d, du, rhs;

  shared_systems(std::vector<index_t> extents, int axis, boundary ends, pivoting pivots) {
    const index_t n = extents[static_cast<std::size_t>(axis)];
    index_t count = 1;
    for (const index_t e : extents) count *= e;
    p.type = value_type_of<T>;
    p.extents = std::move(extents);
    p.axis = axis;
    p.boundary = ends;
    p.pivoting = pivots;
    p.coefficients = coefficients::shared;
    for (index_t i = 0; i < n; ++i) {
      dl.push_back(T(1) + value_at<T>(i));
      d.push_back(T(5) + value_at<T>(3 * i));
      du.push_back(T(1) - value_at<T>(5 * i));
    }
    for (index_t i = 0; i < count; ++i) rhs.push_back(value_at<T>(i));
  }
  std::vector<T> solve(options o, std::vector<index_t>& status, bool in_place = false) const {
    const plan made(p, o);
    std::vector<char> workspace(made.workspace_bytes());
    status.assign(static_cast<std::size_t>(made.systems()), -7);
    std::vector<T> x = in_place ? rhs : std::vector<T>(rhs.size());
    made.execute(dl.data(), d.data(), du.data(), in_place ? x.data() : rhs.data(), x.data(),
                 {.workspace = workspace.data(),
                  .workspace_bytes = workspace.size(),
                  .status = status.data()});
    return x;
  }
};

TYPED_TEST(WideRows, AgreeWithTheReference) {
  constexpr bool single = std::is_same_v<decltype(std::abs(TypeParam())), float>;
  constexpr double tolerance = single ? 1e-5 : 1e-14;
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
      for (const index_t n : {1, 2, 3, 7, 8, 9, 16, 50}) {
        for (const bool middle : {false, true}) {
          const shared_systems<TypeParam> systems(
              middle ? std::vector<index_t>{3, n, 650} : std::vector<index_t>{n, 1931},
              middle ? 1 : 0, ends, pivots);
          std::vector<index_t> status, expected_status;
          const auto expected = systems.solve({.backend = backend::reference}, expected_status);
          const auto x = systems.solve({.threads = 2}, status);
          double worst = 0;
          for (std::size_t i = 0; i < x.size(); ++i) {
            worst = std::max(worst, static_cast<double>(std::abs(x[i] - expected[i])));
          }
          EXPECT_LT(worst, tolerance) << n;
          EXPECT_EQ(status, expected_status) << n;
          EXPECT_EQ(x, systems.solve({.threads = 1}, status, true)) << n;
        }
      }
    }
  }
}

TYPED_TEST(WideRows, DoNotTouchEachOther) {
  constexpr index_t n = 30, lines = 1500, at = 777;
  for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
    shared_systems<TypeParam> systems({n, lines}, 0, boundary::regular, pivots);
    std::vector<index_t> status;
    const auto clean = systems.solve({.threads = 2}, status);
    systems.rhs[11 * lines + at] = TypeParam(std::nanf(""));
    const auto x = systems.solve({.threads = 2}, status);
    for (index_t i = 0; i < n * lines; ++i) {
      if (i % lines != at) {
        EXPECT_EQ(x[i], clean[i]) << i;
      }
    }
    for (index_t l = 0; l < lines; ++l) EXPECT_EQ(status[l], l == at ? -12 : 0) << l;
  }
}

/// Holds systems with their own matrices: `pieces` times `count` neighbours.
template <class T>
struct own_systems {
  index_t pieces, n, count;
  std::vector<T> dl, d, du, rhs;

  own_systems(index_t outer, index_t rows, index_t inner) : pieces(outer), n(rows), count(inner) {
    for (index_t i = 0; i < pieces * n * count; ++i) {
      dl.push_back(T(1) + value_at<T>(i));
      d.push_back(T(5) + value_at<T>(3 * i));
      du.push_back(T(1) - value_at<T>(5 * i));
      rhs.push_back(value_at<T>(7 * i));
    }
  }
  /// Returns the same systems with each one contiguous: (pieces, count, n) instead of (pieces, n,
  /// count).
  std::vector<T> turned(const std::vector<T>& from) const {
    std::vector<T> to;
    for (index_t p = 0; p < pieces; ++p)
      for (index_t c = 0; c < count; ++c)
        for (index_t k = 0; k < n; ++k) to.push_back(from[(p * n + k) * count + c]);
    return to;
  }
  own_systems lines() const {
    own_systems other = *this;
    for (auto part : {&own_systems::dl, &own_systems::d, &own_systems::du, &own_systems::rhs})
      other.*part = turned(this->*part);
    return other;
  }
  /// Solves; x begins `skip` elements into its memory.
  std::vector<T> solve(bool side_by_side, pivoting pivots, boundary ends, index_t skip,
                       std::vector<index_t>& status) const {
    problem p;
    p.type = value_type_of<T>;
    p.extents = {pieces, side_by_side ? n : count, side_by_side ? count : n};
    p.axis = side_by_side ? 1 : 2;
    p.pivoting = pivots;
    p.boundary = ends;
    const plan made(p, {.threads = 2});
    std::vector<char> workspace(made.workspace_bytes());
    status.assign(static_cast<std::size_t>(made.systems()), -7);
    std::vector<T> x(skip + rhs.size());
    made.execute(dl.data(), d.data(), du.data(), rhs.data(), x.data() + skip,
                 {.workspace = workspace.data(),
                  .workspace_bytes = workspace.size(),
                  .status = status.data()});
    return {x.begin() + skip, x.end()};
  }
};

// Strips begin at cache lines, end where neighbours end, and may have a group that is not full.
TYPED_TEST(WideRows, AreWhatTheyAreAsLines) {
  struct {
    index_t pieces, n, count;
  } const shapes[] = {{1, 5, 4096}, {1, 4, 5003}, {2, 5, 4096}, {3, 7, 650},  {9, 30, 64},
                      {7, 9, 100},  {40, 8, 5},   {3, 2, 77},   {5, 30, 257}, {2, 9, 513}};
  std::vector<index_t> status;
  for (const auto& shape : shapes) {
    own_systems<TypeParam> systems(shape.pieces, shape.n, shape.count);
    const index_t bad = shape.pieces * shape.count / 2 + 3;
    systems.rhs[(bad / shape.count * shape.n + 1) * shape.count + bad % shape.count] =
        TypeParam(std::nanf(""));
    const auto lines = systems.lines();
    for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
      for (const boundary ends : {boundary::regular, boundary::periodic}) {
        const auto expected = lines.solve(false, pivots, ends, 0, status);
        for (const index_t skip : {0, 1, 300}) {
          const auto x = systems.turned(systems.solve(true, pivots, ends, skip, status));
          for (index_t i = 0; i < static_cast<index_t>(x.size()); ++i) {
            if (i / shape.n != bad) {
              ASSERT_EQ(x[i], expected[i]) << shape.count << ' ' << i;
            }
          }
          for (index_t s = 0; s < static_cast<index_t>(status.size()); ++s)
            ASSERT_EQ(status[s], s == bad ? -2 : 0) << shape.count << ' ' << s;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tridia_test
