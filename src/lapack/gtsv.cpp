// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "lapack/gtsv.hpp"

#include <cstdint>

// These are the routines of LAPACK whose names a program finds here first, where this library is
// preloaded, or linked before LAPACK. The names that end in 64_ have integers of 64 bits.

#define TRIDIA_LAPACK_EXPORT __attribute__((visibility("default")))

extern "C" {

/// Reports wrong arguments: LAPACK's or the program's own. It is null where there is none. A string
/// of Fortran is followed, behind all arguments, by its length.
__attribute__((weak)) void xerbla_(const char* routine, const int* argument, std::size_t length);
__attribute__((weak)) void xerbla_64_(const char* routine, const std::int64_t* argument,
                                      std::size_t length);

}  // extern "C"

namespace {

using tridia::core::complex;

constexpr std::size_t routine_length = 6;  // "DGTSV ", as LAPACK passes it

void report(const char* routine, int argument) {
  if (xerbla_ != nullptr) xerbla_(routine, &argument, routine_length);
}
void report(const char* routine, std::int64_t argument) {
  if (xerbla_64_ != nullptr) xerbla_64_(routine, &argument, routine_length);
}

/// Returns 0, or the number of the first wrong argument.
template <class Int>
Int wrong_argument(Int n, Int nrhs, Int ldb) {
  if (n < 0) return 1;
  if (nrhs < 0) return 2;
  return ldb < std::max(Int{1}, n) ? 7 : 0;
}

template <class V, class Int>
void call(const char* routine, Int n, Int nrhs, V* dl, V* d, V* du, V* b, Int ldb, Int& info) {
  if (const Int argument = wrong_argument(n, nrhs, ldb); argument != 0) {
    info = -argument;
    report(routine, argument);
    return;
  }
  info = n == 0 ? 0 : static_cast<Int>(tridia::lapack::gtsv<V>(n, nrhs, dl, d, du, b, ldb));
}

}  // namespace

#define TRIDIA_LAPACK_GTSV(symbol, routine, V, Int)                                         \
  TRIDIA_LAPACK_EXPORT void symbol(const Int* n, const Int* nrhs, V* dl, V* d, V* du, V* b, \
                                   const Int* ldb, Int* info) {                             \
    call(routine, *n, *nrhs, dl, d, du, b, *ldb, *info);                                    \
  }

extern "C" {

TRIDIA_LAPACK_GTSV(sgtsv_, "SGTSV ", float, int)
TRIDIA_LAPACK_GTSV(dgtsv_, "DGTSV ", double, int)
TRIDIA_LAPACK_GTSV(cgtsv_, "CGTSV ", complex<float>, int)
TRIDIA_LAPACK_GTSV(zgtsv_, "ZGTSV ", complex<double>, int)
TRIDIA_LAPACK_GTSV(sgtsv_64_, "SGTSV ", float, std::int64_t)
TRIDIA_LAPACK_GTSV(dgtsv_64_, "DGTSV ", double, std::int64_t)
TRIDIA_LAPACK_GTSV(cgtsv_64_, "CGTSV ", complex<float>, std::int64_t)
TRIDIA_LAPACK_GTSV(zgtsv_64_, "ZGTSV ", complex<double>, std::int64_t)

}  // extern "C"
