// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// tridia's xGTSV beside LAPACK's: every number that they leave in the arrays, and what they say of
// wrong arguments.
#include "support/random.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#define DECLARE(routine, V) \
  void routine(const int* n, const int* nrhs, V* dl, V* d, V* du, V* b, const int* ldb, int* info)
extern "C" {
DECLARE(sgtsv_, float);
DECLARE(dgtsv_, double);
DECLARE(cgtsv_, std::complex<float>);
DECLARE(zgtsv_, std::complex<double>);
}

namespace {

struct report {
  std::string routine;
  long argument;
  bool operator==(const report&) const = default;
};
std::vector<report> reports;

}  // namespace

// Routines of LAPACK, and those of tridia, report wrong arguments to these.
extern "C" {
__attribute__((visibility("default"))) void xerbla_(const char* routine, const int* argument,
                                                    std::size_t length) {
  reports.push_back({std::string(routine, length), *argument});
}
__attribute__((visibility("default"))) void xerbla_64_(const char* routine,
                                                       const std::int64_t* argument,
                                                       std::size_t length) {
  reports.push_back({std::string(routine, length) + "64", *argument});
}
}

namespace tridia_test {
namespace {

template <class V, class Int = int>
using gtsv_function = void (*)(const Int*, const Int*, V*, V*, V*, V*, const Int*, Int*);

void* of_tridia(const std::string& name) {
  static void* const library = dlopen(TRIDIA_LAPACK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* const found = dlsym(library, name.c_str());
  if (found == nullptr) throw std::runtime_error(dlerror());
  return found;
}

template <class V>
struct routines;
template <>
struct routines<float> {
  static constexpr char letter = 's';
  static constexpr auto lapack = sgtsv_;
};
template <>
struct routines<double> {
  static constexpr char letter = 'd';
  static constexpr auto lapack = dgtsv_;
};
template <>
struct routines<std::complex<float>> {
  static constexpr char letter = 'c';
  static constexpr auto lapack = cgtsv_;
};
template <>
struct routines<std::complex<double>> {
  static constexpr char letter = 'z';
  static constexpr auto lapack = zgtsv_;
};

template <class V, class Int = int>
gtsv_function<V, Int> tridia_gtsv() {
  const std::string suffix = sizeof(Int) == 8 ? "gtsv_64_" : "gtsv_";
  return reinterpret_cast<gtsv_function<V, Int>>(of_tridia(routines<V>::letter + suffix));
}

/// Holds the arguments of a call.
template <class V>
struct arguments {
  std::ptrdiff_t n = 0, nrhs = 0, ldb = 0;
  std::vector<V> dl, d, du, b;
  long info = 99;

  template <class Int>
  void call(gtsv_function<V, Int> routine) {
    const Int n_ = static_cast<Int>(n), nrhs_ = static_cast<Int>(nrhs),
              ldb_ = static_cast<Int>(ldb);
    Int info_ = static_cast<Int>(info);
    routine(&n_, &nrhs_, dl.data(), d.data(), du.data(), b.data(), &ldb_, &info_);
    info = static_cast<long>(info_);
  }
};

template <class V>
using real_of = decltype(std::abs(V()));

template <class V>
V number(rng& random) {
  std::uniform_real_distribution<real_of<V>> in(-1, 1);
  if constexpr (sizeof(V) == sizeof(real_of<V>)) {
    return in(random);
  } else {
    return {in(random), in(random)};
  }
}

enum class matrix { any, dominant, zeros, singular, not_finite };

template <class V>
arguments<V> make(std::ptrdiff_t n, std::ptrdiff_t nrhs, std::ptrdiff_t ldb, matrix kind,
                  rng& random) {
  arguments<V> a{n, nrhs, ldb, {}, {}, {}, {}};
  const auto off = static_cast<std::size_t>(std::max<std::ptrdiff_t>(n - 1, 0));
  const auto rows = static_cast<std::size_t>(n);
  // No more than LAPACK may touch: a sanitizer sees the rest.
  a.dl.resize(off), a.d.resize(rows), a.du.resize(off);
  a.b.resize(nrhs == 0 ? 0 : static_cast<std::size_t>((nrhs - 1) * ldb + n));
  for (auto* array : {&a.dl, &a.d, &a.du, &a.b}) {
    for (V& v : *array) v = number<V>(random);
  }
  if (n == 0) return a;
  const auto some = [&] { return static_cast<std::size_t>(draw(random, 0, n - 1)); };
  if (kind == matrix::dominant) {
    for (V& v : a.d) v += V(4);
  } else if (kind == matrix::zeros) {
    for (V& v : a.dl) v = flip(random) ? V(0) : v;
    for (V& v : a.du) v = flip(random) ? -V(0) : v;
  } else if (kind == matrix::singular) {
    const std::size_t k = some();
    a.d[k] = V(0);
    if (k > 0) a.dl[k - 1] = V(0);
    if (k < off) a.dl[k] = V(0);
  } else if (kind == matrix::not_finite) {
    const real_of<V> wrong = flip(random) ? std::numeric_limits<real_of<V>>::infinity()
                                          : std::numeric_limits<real_of<V>>::quiet_NaN();
    std::vector<V>* const arrays[] = {&a.dl, &a.d, &a.du, &a.b};
    auto& array = *arrays[draw(random, 0, 3)];
    if (!array.empty()) array[some() % array.size()] = V(wrong);
  }
  return a;
}

/// Returns whether all numbers have the same bits; any NaN is as good as any other.
template <class V>
bool same(const std::vector<V>& a, const std::vector<V>& b) {
  using R = real_of<V>;
  const std::size_t count = a.size() * (sizeof(V) / sizeof(R));
  const auto* p = reinterpret_cast<const R*>(a.data());
  const auto* q = reinterpret_cast<const R*>(b.data());
  for (std::size_t k = 0; k < count; ++k) {
    const bool both_nan = p[k] != p[k] && q[k] != q[k];
    if (!both_nan && std::memcmp(p + k, q + k, sizeof(R)) != 0) return false;
  }
  return true;
}

template <class V>
class LapackGtsv : public ::testing::Test {};
using value_types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LapackGtsv, value_types);

TYPED_TEST(LapackGtsv, LeavesWhatLapackLeaves) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "LAPACK's compiler may have fused multiplications and additions here";
#endif
  using V = TypeParam;
  rng random = random_for("LapackGtsv");
  int compared = 0, singular = 0;
  for (const matrix kind :
       {matrix::any, matrix::dominant, matrix::zeros, matrix::singular, matrix::not_finite}) {
    for (const std::ptrdiff_t n : {0, 1, 2, 3, 4, 5, 8, 13, 50, 127, 128, 129, 130, 257, 400}) {
      for (const std::ptrdiff_t nrhs : {0, 1, 2, 3, 4, 7, 8, 9, 16, 31}) {
        const std::ptrdiff_t ldb = std::max<std::ptrdiff_t>(n, 1) + (flip(random) ? 3 : 0);
        arguments<V> ours = make<V>(n, nrhs, ldb, kind, random), lapacks = ours;
        ours.call(tridia_gtsv<V>());
        // LAPACK's own work on a first column even if there is none.
        if (nrhs == 0) lapacks.b.resize(static_cast<std::size_t>(ldb));
        lapacks.call(gtsv_function<V>(routines<V>::lapack));
        lapacks.b.resize(ours.b.size());
        ASSERT_EQ(ours.info, lapacks.info) << n << " rows";
        ASSERT_TRUE(same(ours.dl, lapacks.dl) && same(ours.d, lapacks.d) &&
                    same(ours.du, lapacks.du) && same(ours.b, lapacks.b))
            << n << " rows, " << nrhs << " right-hand sides, kind " << static_cast<int>(kind);
        ++compared;
        singular += ours.info > 0;
      }
    }
  }
  EXPECT_EQ(compared, 750);
  EXPECT_GT(singular, 100);
}

TYPED_TEST(LapackGtsv, Solves) {
  using V = TypeParam;
  rng random = random_for("LapackGtsvSolves");
  for (const std::ptrdiff_t n : {1, 2, 9, 300}) {
    const arguments<V> a = make<V>(n, 11, n, matrix::dominant, random);
    arguments<V> x = a;
    x.call(tridia_gtsv<V>());
    ASSERT_EQ(x.info, 0);
    for (std::ptrdiff_t j = 0; j < a.nrhs; ++j) {
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const V* const y = x.b.data() + j * n;
        V r = a.b[static_cast<std::size_t>(j * n + i)] - a.d[static_cast<std::size_t>(i)] * y[i];
        if (i > 0) r -= a.dl[static_cast<std::size_t>(i - 1)] * y[i - 1];
        if (i + 1 < n) r -= a.du[static_cast<std::size_t>(i)] * y[i + 1];
        ASSERT_LT(std::abs(r), 20 * std::numeric_limits<real_of<V>>::epsilon());
      }
    }
  }
}

TYPED_TEST(LapackGtsv, TakesIntegersOf64Bits) {
  using V = TypeParam;
  rng random = random_for("LapackGtsv64");
  for (const matrix kind : {matrix::any, matrix::singular}) {
    arguments<V> a = make<V>(40, 3, 41, kind, random), b = a;
    a.call(tridia_gtsv<V>());
    b.call(tridia_gtsv<V, std::int64_t>());
    EXPECT_EQ(a.info, b.info);
    EXPECT_TRUE(same(a.dl, b.dl) && same(a.d, b.d) && same(a.du, b.du) && same(a.b, b.b));
  }
}

TYPED_TEST(LapackGtsv, ReportsWrongArguments) {
  using V = TypeParam;
  rng random = random_for("LapackGtsvWrong");
  const std::string routine = std::string(1, static_cast<char>(routines<V>::letter - 32)) + "GTSV ";
  const struct {
    std::ptrdiff_t n, nrhs, ldb;
    int argument;
  } cases[] = {{-1, 1, 5, 1}, {-1, -1, 0, 1}, {4, -1, 4, 2}, {4, -2, 1, 2},
               {4, 1, 3, 7},  {0, 1, 0, 7},   {4, 1, -4, 7}};
  for (const auto& c : cases) {
    const arguments<V> before = make<V>(5, 1, 5, matrix::any, random);
    const auto check = [&](auto function, const std::string& named) {
      arguments<V> a = before;
      a.n = c.n, a.nrhs = c.nrhs, a.ldb = c.ldb;
      reports.clear();
      a.call(function);
      EXPECT_EQ(a.info, -c.argument);
      ASSERT_EQ(reports.size(), 1U);
      EXPECT_EQ(reports[0], (report{named, c.argument}));
      EXPECT_TRUE(a.dl == before.dl && a.d == before.d && a.du == before.du && a.b == before.b);
    };
    check(gtsv_function<V>(routines<V>::lapack), routine);
    check(tridia_gtsv<V>(), routine);
    check(tridia_gtsv<V, std::int64_t>(), routine + "64");
  }
}

}  // namespace
}  // namespace tridia_test
