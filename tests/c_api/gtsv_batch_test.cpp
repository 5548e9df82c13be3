// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// tridia_?gtsv_batch beside the reference backend, and against what they promise of memory.
#include <tridia.h>
#include <tridia_lapack.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "support/random.hpp"
#include "tridia/tridia.hpp"

namespace tridia_test {
namespace {

template <class V>
constexpr auto batch_function = nullptr;
template <>
constexpr auto batch_function<float> = tridia_sgtsv_batch;
template <>
constexpr auto batch_function<double> = tridia_dgtsv_batch;
template <>
constexpr auto batch_function<std::complex<float>> = tridia_cgtsv_batch;
template <>
constexpr auto batch_function<std::complex<double>> = tridia_zgtsv_batch;

template <class V>
using real_of = decltype(std::abs(V()));

template <class V>
std::vector<V> numbers(index_t count, rng& random) {
  std::vector<V> all;
  for (index_t k = 0; k < count; ++k) {
    const wide w = draw_number(random, tridia::value_type_of<V>);
    if constexpr (sizeof(V) == sizeof(real_of<V>)) {
      all.push_back(static_cast<V>(w.real()));
    } else {
      all.emplace_back(static_cast<real_of<V>>(w.real()), static_cast<real_of<V>>(w.imag()));
    }
  }
  return all;
}

/// Holds systems as LAPACK has them, `batch` of them with padding everywhere.
template <class V>
struct systems {
  index_t n, nrhs, batch, ldb, off_stride, d_stride, b_stride;
  std::vector<V> dl, d, du, b;

  systems(index_t rows, index_t columns, index_t count, bool one_matrix, rng& random)
      : n(rows), nrhs(columns), batch(count), ldb(std::max<index_t>(n, 1) + 2) {
    off_stride = one_matrix ? 0 : n + 3;
    d_stride = one_matrix ? 0 : n + 1;
    b_stride = ldb * nrhs + 5;
    dl = numbers<V>(off_stride * batch + n, random);
    d = numbers<V>(d_stride * batch + n, random);
    du = numbers<V>(off_stride * batch + n, random);
    b = numbers<V>(b_stride * batch, random);
  }
  tridia_result solve(index_t* info) {
    return batch_function<V>(n, nrhs, dl.data(), off_stride, d.data(), d_stride, du.data(),
                             off_stride, b.data(), ldb, b_stride, batch, info);
  }
  /// Returns the largest |b - A x| over what its terms add up to, for the b from before.
  [[nodiscard]] double error(const std::vector<V>& before) const {
    double worst = 0;
    for (index_t k = 0; k < batch; ++k) {
      for (index_t j = 0; j < nrhs; ++j) {
        const V* const x = b.data() + k * b_stride + j * ldb;
        double largest = 0, size = 0;
        for (index_t i = 0; i < n; ++i) {
          const V* const l = dl.data() + k * off_stride + i - 1;
          const V diagonal = d[static_cast<std::size_t>(k * d_stride + i)];
          V r = before[static_cast<std::size_t>(k * b_stride + j * ldb + i)] - diagonal * x[i];
          double sum = std::abs(diagonal * x[i]);
          if (i > 0) r -= *l * x[i - 1], sum += std::abs(*l * x[i - 1]);
          if (i + 1 < n) {
            const V u = du[static_cast<std::size_t>(k * off_stride + i)];
            r -= u * x[i + 1];
            sum += std::abs(u * x[i + 1]);
          }
          largest = std::max(largest, static_cast<double>(std::abs(r)));
          size = std::max(size, sum);
        }
        worst = std::max(worst, largest / size);
      }
    }
    return worst;
  }
};

template <class V>
class GtsvBatch : public ::testing::Test {};
using value_types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GtsvBatch, value_types);

TYPED_TEST(GtsvBatch, Solves) {
  using V = TypeParam;
  rng random = random_for("GtsvBatch");
  for (const bool one_matrix : {false, true}) {
    for (const index_t n : {1, 2, 3, 8, 61, 300}) {
      for (const index_t nrhs : {1, 2, 5}) {
        for (const index_t batch : {1, 7, 40}) {
          systems<V> s(n, nrhs, batch, one_matrix, random);
          const systems<V> before = s;
          std::vector<index_t> info(static_cast<std::size_t>(batch), 9);
          ASSERT_EQ(s.solve(info.data()), TRIDIA_SUCCESS) << tridia_last_error();
          EXPECT_EQ(info, std::vector<index_t>(info.size(), 0));
          EXPECT_LT(s.error(before.b), 60 * std::numeric_limits<real_of<V>>::epsilon())
              << n << " rows";
          EXPECT_TRUE(s.dl == before.dl && s.d == before.d && s.du == before.du);
          // What is no solution stays.
          for (index_t k = 0; k < std::ssize(s.b); ++k) {
            const index_t at = k % s.b_stride;
            if (at < s.ldb * nrhs && at % s.ldb < n) continue;
            ASSERT_EQ(s.b[static_cast<std::size_t>(k)], before.b[static_cast<std::size_t>(k)]);
          }
        }
      }
    }
  }
}

TYPED_TEST(GtsvBatch, SaysWhichAreSingular) {
  using V = TypeParam;
  rng random = random_for("GtsvBatchSingular");
  systems<V> s(9, 2, 11, false, random);
  const auto at = static_cast<std::size_t>(4 * s.d_stride);
  std::fill_n(s.d.begin() + static_cast<std::ptrdiff_t>(at), 9, V(0));
  std::fill_n(s.dl.begin() + 4 * s.off_stride, 9, V(0));
  std::vector<index_t> info(11, 9);
  ASSERT_EQ(s.solve(info.data()), TRIDIA_SUCCESS);
  for (index_t k = 0; k < 11; ++k) {
    EXPECT_EQ(info[static_cast<std::size_t>(k)], k == 4 ? 1 : 0);
    const V x = s.b[static_cast<std::size_t>(k * s.b_stride + 3)];
    EXPECT_EQ(x != x, k == 4);
  }
}

TYPED_TEST(GtsvBatch, TakesColumnsOfAllSystemsBelowEachOther) {
  using V = TypeParam;
  rng random = random_for("GtsvBatchBelow");
  systems<V> s(6, 3, 4, false, random);
  systems<V> below = s;
  below.b_stride = 7, below.ldb = 4 * 7 + 1;
  for (index_t k = 0; k < 4; ++k) {
    for (index_t j = 0; j < 3; ++j) {
      std::copy_n(s.b.begin() + k * s.b_stride + j * s.ldb, 6,
                  below.b.begin() + k * below.b_stride + j * below.ldb);
    }
  }
  const systems<V> before = below;
  ASSERT_EQ(below.solve(nullptr), TRIDIA_SUCCESS) << tridia_last_error();
  EXPECT_LT(below.error(before.b), 60 * std::numeric_limits<real_of<V>>::epsilon());
}

}  // namespace
}  // namespace tridia_test
