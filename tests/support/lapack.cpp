// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/lapack.hpp"

#include <stdexcept>

#include "support/scalar.hpp"

// Keeps C's complex out of C++.
#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

// OpenBLAS's threads cost far more than these tiny systems take; other libraries lack the function.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace tridia_test {
namespace {

[[maybe_unused]] const bool one_thread = [] {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  return true;
}();

lapack_int call_gtsv(lapack_int n, float* dl, float* d, float* du, float* b) {
  return LAPACKE_sgtsv(LAPACK_COL_MAJOR, n, 1, dl, d, du, b, n);
}
lapack_int call_gtsv(lapack_int n, double* dl, double* d, double* du, double* b) {
  return LAPACKE_dgtsv(LAPACK_COL_MAJOR, n, 1, dl, d, du, b, n);
}
lapack_int call_gtsv(lapack_int n, std::complex<float>* dl, std::complex<float>* d,
                     std::complex<float>* du, std::complex<float>* b) {
  return LAPACKE_cgtsv(LAPACK_COL_MAJOR, n, 1, dl, d, du, b, n);
}
lapack_int call_gtsv(lapack_int n, std::complex<double>* dl, std::complex<double>* d,
                     std::complex<double>* du, std::complex<double>* b) {
  return LAPACKE_zgtsv(LAPACK_COL_MAJOR, n, 1, dl, d, du, b, n);
}

template <class T>
std::vector<T> narrowed(tridia::value_type type, const std::vector<wide>& from) {
  std::vector<T> to(from.size());
  for (std::size_t k = 0; k < from.size(); ++k)
    store(type, to.data(), static_cast<index_t>(k), from[k]);
  return to;
}

template <class T>
index_t gtsv_as(const tridiagonal& a, std::vector<wide>& b) {
  constexpr auto type = tridia::value_type_of<T>;
  std::vector<T> dl = narrowed<T>(type, a.dl), d = narrowed<T>(type, a.d),
                 du = narrowed<T>(type, a.du), x = narrowed<T>(type, b);
  const auto n = static_cast<lapack_int>(a.rows());
  const lapack_int info = call_gtsv(n, dl.data() + 1, d.data(), du.data(), x.data());
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = load(type, x.data(), static_cast<index_t>(k));
  return info;
}

lapack_int call_latms(lapack_int n, lapack_int* iseed, double* s, lapack_int mode, double condition,
                      double norm, lapack_int bands, double* a) {
  return LAPACKE_dlatms(LAPACK_COL_MAJOR, n, n, 'S', iseed, 'N', s, mode, condition, norm, bands,
                        bands, 'N', a, n);
}
lapack_int call_latms(lapack_int n, lapack_int* iseed, double* s, lapack_int mode, double condition,
                      double norm, lapack_int bands, std::complex<double>* a) {
  return LAPACKE_zlatms(LAPACK_COL_MAJOR, n, n, 'S', iseed, 'N', s, mode, condition, norm, bands,
                        bands, 'N', a, n);
}

/// Holds LAPACK's seed of random numbers.
struct lapack_seed {
  lapack_int words[4];
  explicit lapack_seed(rng& random) {
    for (lapack_int& word : words) word = static_cast<lapack_int>(draw(random, 0, 4095));
    words[3] |= 1;
  }
};

template <class T>
tridiagonal latms_as(index_t n, int mode, double condition, double norm, int bands, rng& random) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> a(size * size);
  std::vector<double> singular_values(size);
  lapack_seed iseed(random);
  if (call_latms(static_cast<lapack_int>(n), iseed.words, singular_values.data(), mode, condition,
                 norm, bands, a.data()) != 0)
    throw std::runtime_error("LAPACK's latms failed");
  tridiagonal result(n);
  for (std::size_t k = 0; k < size; ++k) {
    result.d[k] = wide(a[k * size + k]);
    if (k > 0) result.dl[k] = wide(a[(k - 1) * size + k]);
    if (k + 1 < size) result.du[k] = wide(a[(k + 1) * size + k]);
  }
  return result;
}

}  // namespace

dense_solution solve_dense(index_t n, std::vector<std::complex<double>> a, index_t columns,
                           std::vector<std::complex<double>> b) {
  dense_solution result;
  if (n == 0) return {{}, 1};
  const auto rows = static_cast<lapack_int>(n);
  const double norm = LAPACKE_zlange(LAPACK_COL_MAJOR, '1', rows, rows, a.data(), rows);
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  const lapack_int info = LAPACKE_zgesv(LAPACK_COL_MAJOR, rows, static_cast<lapack_int>(columns),
                                        a.data(), rows, pivots.data(), b.data(), rows);
  if (info == 0)
    LAPACKE_zgecon(LAPACK_COL_MAJOR, '1', rows, a.data(), rows, norm, &result.reciprocal_condition);
  result.x = std::move(b);
  return result;
}

index_t gtsv(tridia::value_type type, const tridiagonal& a, std::vector<wide>& b) {
  switch (type) {
    case tridia::value_type::f32:
      return gtsv_as<float>(a, b);
    case tridia::value_type::f64:
      return gtsv_as<double>(a, b);
    case tridia::value_type::c64:
      return gtsv_as<std::complex<float>>(a, b);
    case tridia::value_type::c128:
      return gtsv_as<std::complex<double>>(a, b);
  }
  return -1;
}

tridiagonal latms(bool complex, index_t n, int mode, double condition, double norm, int bands,
                  rng& random) {
  return complex ? latms_as<std::complex<double>>(n, mode, condition, norm, bands, random)
                 : latms_as<double>(n, mode, condition, norm, bands, random);
}

tridiagonal symmetric(const std::vector<double>& eigenvalues, rng& random) {
  const std::size_t size = eigenvalues.size();
  const auto n = static_cast<lapack_int>(size);
  std::vector<double> a(size * size), d(size), e(size), tau(size);
  lapack_seed iseed(random);
  if (LAPACKE_dlagsy(LAPACK_COL_MAJOR, n, n - 1, eigenvalues.data(), a.data(), n, iseed.words) !=
          0 ||
      LAPACKE_dsytrd(LAPACK_COL_MAJOR, 'L', n, a.data(), n, d.data(), e.data(), tau.data()) != 0)
    throw std::runtime_error("LAPACK's lagsy or sytrd failed");
  tridiagonal result(n);
  for (std::size_t k = 0; k < size; ++k) {
    result.d[k] = d[k];
    if (k + 1 < size) result.du[k] = result.dl[k + 1] = e[k];
  }
  return result;
}

}  // namespace tridia_test
