/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_LAPACK_H
#define TRIDIA_LAPACK_H

/* This header has LAPACK's xGTSV for a batch of systems in host memory: link with tridia. (A single
 * system is LAPACK's own business: preload the library tridia_lapack, or link it before LAPACK, and
 * its xGTSV are tridia's. docs/c.md says more.) */
#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solve A_k X = B_k for k from 0 to `batch` - 1, with partial pivoting. Every A_k has `n` rows;
 * `dl` and `du` have n - 1 entries of it and `d` has n, as in LAPACK, those of the next system a
 * stride further; a stride of 0 is one array for all systems. They are not changed. B_k has `nrhs`
 * columns, `ldb` elements apart, from element k * b_stride of `b` on, and becomes X_k. Strides
 * count elements. `info`, which may be null, has an entry for each system: 0, or what LAPACK's info
 * is where U(k, k) is zero, or minus the number of the first row that is not finite; then its X is
 * NaN. Without `info` such a system gives TRIDIA_SINGULAR, after all have been solved. Arguments
 * that are wrong, `ldb` below n among them, are refused, and nothing is written. */
TRIDIA_API tridia_result tridia_sgtsv_batch(int64_t n, int64_t nrhs, const float* dl,
                                            int64_t dl_stride, const float* d, int64_t d_stride,
                                            const float* du, int64_t du_stride, float* b,
                                            int64_t ldb, int64_t b_stride, int64_t batch,
                                            int64_t* info);
TRIDIA_API tridia_result tridia_dgtsv_batch(int64_t n, int64_t nrhs, const double* dl,
                                            int64_t dl_stride, const double* d, int64_t d_stride,
                                            const double* du, int64_t du_stride, double* b,
                                            int64_t ldb, int64_t b_stride, int64_t batch,
                                            int64_t* info);
/* These take complex numbers of C, C++ or Fortran. */
TRIDIA_API tridia_result tridia_cgtsv_batch(int64_t n, int64_t nrhs, const void* dl,
                                            int64_t dl_stride, const void* d, int64_t d_stride,
                                            const void* du, int64_t du_stride, void* b, int64_t ldb,
                                            int64_t b_stride, int64_t batch, int64_t* info);
TRIDIA_API tridia_result tridia_zgtsv_batch(int64_t n, int64_t nrhs, const void* dl,
                                            int64_t dl_stride, const void* d, int64_t d_stride,
                                            const void* du, int64_t du_stride, void* b, int64_t ldb,
                                            int64_t b_stride, int64_t batch, int64_t* info);

#ifdef __cplusplus
}
#endif

#endif
