// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>

namespace tridia_bench {

/// Solves one contiguous system as LAPACK's xGTSV; overwrites all four arrays; returns `info`.
template <class T>
using gtsv_function = int (*)(std::int64_t n, T* dl, T* d, T* du, T* b);

/// Solves `count` right-hand sides of one matrix, f64, one after another in `b`, by one call of
/// DGTSV; overwrites all four arrays; returns `info`.
using many_gtsv_function = int (*)(std::int64_t n, std::int64_t count, double* dl, double* d,
                                   double* du, double* b);

/// Describes a library that has xGTSV.
struct gtsv_peer {
  std::string solver;   ///< The row's solver.
  std::string version;  ///< The library's own text.
  bool pivots = true;
  gtsv_function<float> f32 = nullptr;
  gtsv_function<double> f64 = nullptr;
  gtsv_function<std::complex<double>> c128 = nullptr;
  many_gtsv_function many = nullptr;

  template <class T>
  [[nodiscard]] gtsv_function<T> get() const;
};
template <>
inline gtsv_function<float> gtsv_peer::get<float>() const {
  return f32;
}
template <>
inline gtsv_function<double> gtsv_peer::get<double>() const {
  return f64;
}
template <>
inline gtsv_function<std::complex<double>> gtsv_peer::get<std::complex<double>>() const {
  return c128;
}

/// Returns LAPACKE_xgtsv_work, if this build found it.
std::optional<gtsv_peer> lapack_gtsv();

/// Holds LAPACK's functions that factor one matrix, f64, and that solve `count` right-hand sides
/// with the factors, one after another; both return `info`.
struct gttrs_peer {
  int (*factor)(std::int64_t n, double* dl, double* d, double* du, double* du2, int* pivots);
  int (*solve)(std::int64_t n, std::int64_t count, const double* dl, const double* d,
               const double* du, const double* du2, const int* pivots, double* b);
};
std::optional<gttrs_peer> lapack_gttrs();

/// Holds MKL's xgtsv and its xdtsvb (for diagonally dominant matrices, without interchanges), on
/// its sequential layer. `directory` may be empty: then MKL is looked for in the places that the
/// environment names.
struct mkl_peers {
  gtsv_peer gtsv, dtsvb;
};
std::optional<mkl_peers> find_mkl(const std::string& directory);

}  // namespace tridia_bench
