// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/residual.hpp"

#include "systems/slabs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace tridia::cli {
namespace {

/// Holds dense systems with small integers as numbers, so that residuals of exact solutions are 0.
template <class T>
struct fixture {
  systems all;
  std::vector<T> arrays[roles];

  fixture(std::vector<index_t> extents, int axis, const system_options& o, bool fortran_order) {
    const npy_header a{value_type_of<T>, fortran_order, std::move(extents), 0};
    system_options options = o;
    options.axis = axis;
    all = match_arrays({a, a, a, a}, options);
    const std::size_t size = npy_data_bytes(a) / sizeof(T);
    unsigned seed = 1;
    for (auto& values : arrays) {
      values.resize(size);
      for (T& v : values) v = number(seed);
    }
    multiply();
  }

  static T number(unsigned& seed) {
    seed = seed * 1103515245u + 12345u;
    const auto real = static_cast<float>(static_cast<int>(seed >> 16 & 7) - 3);
    if constexpr (std::is_floating_point_v<T>) {
      return real;
    } else {
      return {static_cast<typename T::value_type>(real),
              static_cast<typename T::value_type>(static_cast<int>(seed >> 20 & 7) - 3)};
    }
  }

  /// Computes the right-hand side by the definition of the operation, through a dense matrix.
  void multiply() {
    const slabs each(all, 1);
    const index_t n = all.rows(), stride = all.arrays[role_rhs].strides[all.axis];
    for (index_t k = 0; k < each.count(); ++k) {
      const auto first = static_cast<index_t>(region_of(all, role_rhs, each[k]).first / sizeof(T));
      const auto at = [&](array_role r, index_t i) -> T& { return arrays[r][first + i * stride]; };
      std::vector<T> a(n * n, T{});
      for (index_t i = 0; i < n; ++i) {
        a[i * n + i] += at(role_d, i);
        const bool periodic = all.boundary == boundary::periodic;
        if (i > 0 || periodic) a[i * n + (i + n - 1) % n] += at(role_dl, i);
        if (i + 1 < n || periodic) a[i * n + (i + 1) % n] += at(role_du, i);
      }
      for (index_t i = 0; i < n; ++i) {
        T sum{};
        for (index_t j = 0; j < n; ++j) sum += entry(a, n, i, j) * at(role_x, j);
        at(role_rhs, i) = sum;
      }
    }
  }

  T entry(const std::vector<T>& a, index_t n, index_t i, index_t j) const {
    if (all.operation == operation::none) return a[i * n + j];
    if constexpr (!std::is_floating_point_v<T>) {
      if (all.operation == operation::conjugate_transpose) return std::conj(a[j * n + i]);
    }
    return a[j * n + i];
  }

  double residual(const std::vector<index_t>& status, index_t systems_at_most = 1 << 20) {
    array_pointers pointers;
    for (std::size_t r = 0; r < roles; ++r) {
      pointers[r] = reinterpret_cast<const std::byte*>(arrays[r].data());
    }
    const slabs parts(all, systems_at_most);
    double largest = 0;
    for (index_t k = 0; k < parts.count(); ++k) {
      largest = larger(
          largest, largest_residual(all, parts[k], pointers, status, systems_at_most == 1 ? 1 : 2));
    }
    return largest;
  }

  std::vector<index_t> solved() const { return std::vector<index_t>(all.count(), 0); }
};

template <class T>
class Residual : public ::testing::Test {};
using types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Residual, types);

TYPED_TEST(Residual, OfExactSolutionsIsZero) {
  for (const auto bound : {boundary::regular, boundary::periodic}) {
    for (const auto op : {operation::none, operation::transpose, operation::conjugate_transpose}) {
      for (const index_t n : {1, 2, 3, 7}) {
        for (int axis = 0; axis < 3; ++axis) {
          std::vector<index_t> extents{2, 150, 2};
          extents[axis] = n;
          for (const bool fortran : {false, true}) {
            fixture<TypeParam> f(extents, axis, {.boundary = bound, .operation = op}, fortran);
            EXPECT_EQ(f.residual(f.solved()), 0) << "n " << n << ", axis " << axis;
            EXPECT_EQ(f.residual(f.solved(), 1), 0);
          }
        }
      }
    }
  }
}

TYPED_TEST(Residual, SeesOneWrongEntry) {
  for (int axis = 0; axis < 2; ++axis) {
    fixture<TypeParam> f({200, 50}, axis, {}, false);
    f.arrays[role_rhs][1234] += TypeParam(1);
    EXPECT_GT(f.residual(f.solved()), 1e-3);
    EXPECT_LT(f.residual(f.solved()), 1);
  }
}

TYPED_TEST(Residual, LeavesFailedSystemsOut) {
  fixture<TypeParam> f({70, 50}, 1, {}, false);
  f.arrays[role_x][50 * 33 + 7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(f.residual(f.solved())));
  std::vector<index_t> status = f.solved();
  status[33] = 8;
  EXPECT_EQ(f.residual(status), 0);
}

TEST(ResidualValue, IsTheBackwardErrorInTheMaximumNorm) {
  fixture<double> f({2}, 0, {}, false);
  f.arrays[role_dl] = {99, 1};
  f.arrays[role_d] = {2, 3};
  f.arrays[role_du] = {-1, 99};
  f.arrays[role_x] = {1, 2};
  f.arrays[role_rhs] = {0.5, 7};  // A x = (0, 7)
  EXPECT_DOUBLE_EQ(f.residual({0}), 0.5 / (4.0 * 2 + 7));
}

TEST(ResidualValue, OfShortOffDiagonals) {
  const npy_header d{value_type::f64, false, {3}, 0};
  const npy_header off{value_type::f64, false, {2}, 0};
  const double dl[] = {1, 2}, diagonal[] = {4, 5, 6}, du[] = {3, -1}, x[] = {1, 1, 1};
  const double rhs[][3] = {{7, 5, 8}, {5, 10, 5}};
  for (const auto op : {operation::none, operation::transpose}) {
    const systems all = match_arrays({off, d, off, d}, {.operation = op});
    const array_pointers arrays = {
        reinterpret_cast<const std::byte*>(dl), reinterpret_cast<const std::byte*>(diagonal),
        reinterpret_cast<const std::byte*>(du),
        reinterpret_cast<const std::byte*>(rhs[op == operation::none ? 0 : 1]),
        reinterpret_cast<const std::byte*>(x)};
    const index_t solved[] = {0};
    EXPECT_EQ(largest_residual(all, slabs(all, 1)[0], arrays, solved, 1), 0);
  }
}

}  // namespace
}  // namespace tridia::cli
