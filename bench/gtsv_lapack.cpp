// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gtsv.hpp"

#include <type_traits>

#if defined(TRIDIA_BENCH_LAPACK)
// LAPACKE's own complex types are those of C, so C++ types replace them.
#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

// Only OpenBLAS has this function.
extern "C" __attribute__((weak)) char* openblas_get_config(void);

namespace tridia_bench {

std::optional<gtsv_peer> lapack_gtsv() {
  gtsv_peer peer;
  peer.solver = "LAPACKE gtsv";
  lapack_int major = 0, minor = 0, patch = 0;
  LAPACKE_ilaver(&major, &minor, &patch);
  peer.version =
      "LAPACK " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  if (openblas_get_config != nullptr) peer.version += std::string(", ") + openblas_get_config();

  peer.f32 = [](std::int64_t n, float* dl, float* d, float* du, float* b) {
    const auto rows = static_cast<lapack_int>(n);
    return int{LAPACKE_sgtsv_work(LAPACK_COL_MAJOR, rows, 1, dl, d, du, b, rows)};
  };
  peer.f64 = [](std::int64_t n, double* dl, double* d, double* du, double* b) {
    const auto rows = static_cast<lapack_int>(n);
    return int{LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, rows, 1, dl, d, du, b, rows)};
  };
  peer.many = [](std::int64_t n, std::int64_t count, double* dl, double* d, double* du, double* b) {
    const auto rows = static_cast<lapack_int>(n), sides = static_cast<lapack_int>(count);
    return int{LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, rows, sides, dl, d, du, b, rows)};
  };
  using c128 = std::complex<double>;
  peer.c128 = [](std::int64_t n, c128* dl, c128* d, c128* du, c128* b) {
    const auto rows = static_cast<lapack_int>(n);
    return int{LAPACKE_zgtsv_work(LAPACK_COL_MAJOR, rows, 1, dl, d, du, b, rows)};
  };
  return peer;
}

std::optional<gttrs_peer> lapack_gttrs() {
  static_assert(std::is_same_v<lapack_int, int>);
  gttrs_peer peer{};
  peer.factor = [](std::int64_t n, double* dl, double* d, double* du, double* du2, int* pivots) {
    return int{LAPACKE_dgttrf_work(static_cast<lapack_int>(n), dl, d, du, du2, pivots)};
  };
  peer.solve = [](std::int64_t n, std::int64_t count, const double* dl, const double* d,
                  const double* du, const double* du2, const int* pivots, double* b) {
    const auto rows = static_cast<lapack_int>(n), sides = static_cast<lapack_int>(count);
    return int{
        LAPACKE_dgttrs_work(LAPACK_COL_MAJOR, 'N', rows, sides, dl, d, du, du2, pivots, b, rows)};
  };
  return peer;
}

}  // namespace tridia_bench

#else

namespace tridia_bench {
std::optional<gtsv_peer> lapack_gtsv() { return std::nullopt; }
std::optional<gttrs_peer> lapack_gttrs() { return std::nullopt; }
}  // namespace tridia_bench

#endif
