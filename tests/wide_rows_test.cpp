// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// On a CPU, many right-hand sides of one matrix that are neighbours in memory go through their rows
// side by side: they must be what each is alone.
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

/// One matrix, its right-hand sides in an array solved along an axis.
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

}  // namespace
}  // namespace tridia_test
