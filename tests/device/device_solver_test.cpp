// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "device/device_case.hpp"
#include "support/device_memory.hpp"
#include "support/random.hpp"

// The classes of tridia/device, in kernels as a user would write them, against the equations
// themselves: every shape, number of rows, type, boundary and pivoting.
namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;
using tridia::value_type;

template <class T>
struct scalar_traits {
  using real = T;
};
template <class R>
struct scalar_traits<std::complex<R>> {
  using real = R;
};

template <class T>
T to(const wide& v) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(v.real());
  } else {
    using real = typename T::value_type;
    return {static_cast<real>(v.real()), static_cast<real>(v.imag())};
  }
}
template <class T>
wide wide_of(const T& v) {
  if constexpr (std::is_floating_point_v<T>)
    return {static_cast<long double>(v), 0};
  else
    return {static_cast<long double>(v.real()), static_cast<long double>(v.imag())};
}

/// Holds random lines for a solver.
template <class T>
class lines_of {
 public:
  lines_of(const device_solver& s, int n, int lines, rng& random)
      : solver_(s), n_(n), lines_(lines) {
    const std::size_t rows = static_cast<std::size_t>(n) * static_cast<std::size_t>(lines);
    const auto number = [&] { return to<T>(draw_number(random, s.type)); };
    const auto fill = [&](std::vector<T>& a, std::size_t size) {
      a.resize(size);
      std::generate(a.begin(), a.end(), number);
    };
    fill(dl, rows), fill(d, rows), fill(du, rows);
    fill(rhs, rows * static_cast<std::size_t>(s.sides));
    if (s.pivoting == pivoting::none) {
      for (T& v : d) v = to<T>(draw_dominant(random, s.type));
    }
    if (s.boundary == boundary::periodic) return;
    // What lies outside the matrix is not used.
    for (int line = 0; line < lines; ++line) {
      dl[at(line, 0)] = du[at(line, n - 1)] = std::numeric_limits<real>::quiet_NaN();
    }
  }

  device_lines run() {
    x.assign(rhs.size(), T(poison));
    device_lines t{n_,        lines_,     solver_.sides, dl.data(), d.data(),
                   du.data(), rhs.data(), x.data(),      {},        {},
                   {}};
    EXPECT_EQ(solver_.solve(t), "");
    return t;
  }

  [[nodiscard]] std::size_t at(int line, int k) const {
    return static_cast<std::size_t>(line) * static_cast<std::size_t>(n_) +
           static_cast<std::size_t>(k);
  }
  [[nodiscard]] const T& x_of(int line, int k, int side) const {
    return x[static_cast<std::size_t>(side) * d.size() + at(line, k)];
  }
  [[nodiscard]] T& rhs_of(int line, int k, int side) {
    return rhs[static_cast<std::size_t>(side) * d.size() + at(line, k)];
  }

  /// Returns the largest residual of a line, relative to |A| |x| + |rhs|, in units of epsilon:
  /// by row, or, where rows are interchanged, of the whole line.
  [[nodiscard]] double error_of(int line, int side) {
    long double worst = 0, largest = 0, size = 0;
    for (int k = 0; k < n_; ++k) {
      const auto x_at = [&](int row) { return wide_of(x_of(line, (row + n_) % n_, side)); };
      const bool ends = solver_.boundary == boundary::periodic;
      const wide sub = k > 0 || ends ? wide_of(dl[at(line, k)]) : 0;
      const wide sup = k + 1 < n_ || ends ? wide_of(du[at(line, k)]) : 0;
      const wide terms[] = {sub * x_at(k - 1), wide_of(d[at(line, k)]) * x_at(k), sup * x_at(k + 1),
                            -wide_of(rhs_of(line, k, side))};
      wide sum = 0;
      long double of_row = 0;
      for (const wide& v : terms) sum += v, of_row += std::abs(v);
      if (std::abs(sum) > 0) worst = std::max(worst, std::abs(sum) / of_row);
      largest = std::max(largest, std::abs(sum)), size = std::max(size, of_row);
    }
    const long double error =
        solver_.pivoting == pivoting::none || size == 0 ? worst : largest / size;
    return static_cast<double>(error / std::numeric_limits<real>::epsilon());
  }

  static constexpr double poison = 12345;
  std::vector<T> dl, d, du, rhs, x;

 private:
  using real = typename scalar_traits<T>::real;
  const device_solver& solver_;
  int n_, lines_;
};

/// With pivoting, sub and sup of random matrices may be such that a whole line is nearly singular:
/// the residual, which is what pivoting bounds, stays small even so.
constexpr double kMostEpsilons = 300;

template <class T>
class DeviceSolver : public testing::Test {
 protected:
  static constexpr value_type type = std::is_same_v<T, float>                 ? value_type::f32
                                     : std::is_same_v<T, double>              ? value_type::f64
                                     : std::is_same_v<T, std::complex<float>> ? value_type::c64
                                                                              : value_type::c128;
  static std::vector<device_solver> solvers() { return device_solvers<type>(); }
  static std::vector<device_solver> grids() { return grid_solvers<type>(); }

  /// Solves random lines, and checks x of all of them and how often functions were called.
  void expect_solved(const device_solver& s, int n, int lines) {
    lines_of<T> all(s, n, lines, random_);
    const device_lines t = all.run();
    EXPECT_EQ(t.status, std::vector<int>(t.status.size(), 0)) << describe(s, n);
    EXPECT_EQ(t.taken, std::vector<int>(t.taken.size(), 1)) << describe(s, n);
    const bool again = s.pivoting == pivoting::partial || s.max_rows == device_solver::any_rows;
    const int most_asked = again && s.name != "thread" ? 2 : 1;
    for (const int asked : t.asked) {
      ASSERT_TRUE(asked >= 1 && asked <= most_asked) << asked << ": " << describe(s, n);
    }
    for (int line = 0; line < lines; ++line)
      for (int side = 0; side < s.sides; ++side)
        ASSERT_LE(all.error_of(line, side), kMostEpsilons)
            << "line " << line << " of " << lines << ", side " << side << ": " << describe(s, n);
  }
  /// Solves lines of which one has no number in its right-hand side, and one is singular.
  void expect_alone(const device_solver& s, int n) {
    if (HasFailure()) return;
    using real = typename scalar_traits<T>::real;
    constexpr int lines = 9, not_a_number = 2, singular = 5;
    lines_of<T> all(s, n, lines, random_);
    const int row = static_cast<int>(draw(random_, 0, n - 1));
    all.rhs_of(not_a_number, row, s.sides - 1) = std::numeric_limits<real>::quiet_NaN();
    all.dl[all.at(singular, row)] = all.d[all.at(singular, row)] = all.du[all.at(singular, row)] =
        T(0);
    all.rhs_of(singular, row, 0) = T(1);
    const device_lines t = all.run();
    for (int line = 0; line < lines; ++line) {
      const bool bad = line == not_a_number || line == singular;
      EXPECT_EQ(t.status[static_cast<std::size_t>(line)], bad ? 1 : 0)
          << "line " << line << ", row " << row << ": " << describe(s, n);
      for (int side = 0; side < s.sides; ++side) {
        if (!bad) {
          EXPECT_LE(all.error_of(line, side), kMostEpsilons) << describe(s, n);
          continue;
        }
        for (int k = 0; k < n; ++k) {
          ASSERT_TRUE(std::isnan(std::abs(all.x_of(line, k, side))))
              << "line " << line << ", x " << k << ": " << describe(s, n);
        }
      }
    }
    EXPECT_EQ(t.taken, std::vector<int>(t.taken.size(), 1)) << describe(s, n);
  }
  static std::string describe(const device_solver& s, int n) {
    return s.name + ", " + std::to_string(s.sides) + " sides, " + std::to_string(n) + " rows" +
           (s.boundary == boundary::periodic ? ", periodic" : "") +
           (s.pivoting == pivoting::partial ? ", pivoting" : "");
  }
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP();
  }
  rng random_ = random_for("DeviceSolver");
};

using types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DeviceSolver, types);

TYPED_TEST(DeviceSolver, SolvesEveryNumberOfRows) {
  for (const device_solver& s : this->solvers()) {
    std::vector<int> counts{s.max_rows - 1, s.max_rows};
    for (int n = 1; n <= std::min(s.max_rows, 14); ++n) counts.push_back(n);
    for (int k = 0; k < 4; ++k) {
      counts.push_back(static_cast<int>(draw(this->random_, 1, s.max_rows)));
    }
    for (const int n : counts) {
      if (this->HasFailure()) return;
      this->expect_solved(s, n, static_cast<int>(draw(this->random_, 1, 70)));
    }
  }
}

TYPED_TEST(DeviceSolver, SolvesLinesOfGridsOfAnyLength) {
  for (const device_solver& s : this->grids()) {
    std::vector<int> counts{1,   2,    3,    7,    32,   33,   36,   64,   68,   100,  128,
                            129, 144,  250,  256,  272,  273,  289,  512,  513,  545,  800,
                            801, 1000, 1024, 1089, 1152, 1153, 2177, 2500, 4353, 8705, 9217};
    for (int k = 0; k < 4; ++k) counts.push_back(static_cast<int>(draw(this->random_, 1, 5000)));
    for (const int n : counts) {
      if (this->HasFailure()) return;
      this->expect_solved(s, n, static_cast<int>(draw(this->random_, 1, 70)));
    }
    // Interfaces of one level, and of two.
    for (const int n : {200'000, 270'001}) this->expect_solved(s, n, 3);
  }
}

/// These are for compute-sanitizer.
TYPED_TEST(DeviceSolver, SolvesSmallCases) {
  for (const device_solver& s : this->solvers()) {
    this->expect_solved(s, std::min(s.max_rows, 13), 5);
    this->expect_solved(s, s.max_rows, 2);
  }
  for (const device_solver& s : this->grids()) {
    for (const int n : {2, 40, 1200}) this->expect_solved(s, n, 3);
  }
}

TYPED_TEST(DeviceSolver, LinesWithoutASolutionAreAlone) {
  for (const device_solver& s : this->solvers()) {
    for (const int n : {3, s.max_rows / 2 + 1, s.max_rows}) this->expect_alone(s, n);
  }
  for (const device_solver& s : this->grids()) {
    for (const int n : {3, 200, 1024, 3000}) this->expect_alone(s, n);
  }
}

TYPED_TEST(DeviceSolver, RefusesLinesThatAreTooLong) {
  for (const device_solver& s : this->solvers()) {
    const int n = s.max_rows + 1;
    lines_of<TypeParam> all(s, n, 3, this->random_);
    const device_lines t = all.run();
    EXPECT_EQ(t.status, std::vector<int>(3, -1)) << this->describe(s, n);
    EXPECT_EQ(t.asked, std::vector<int>(t.asked.size(), 0)) << this->describe(s, n);
    EXPECT_EQ(t.taken, std::vector<int>(t.taken.size(), 0)) << this->describe(s, n);
    for (const TypeParam& v : all.x) ASSERT_EQ(v, TypeParam(all.poison));
  }
}

}  // namespace
}  // namespace tridia_test
