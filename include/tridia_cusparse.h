/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_CUSPARSE_H
#define TRIDIA_CUSPARSE_H

/* This header has cuSPARSE's tridiagonal solvers with tridia's kernels in them: gtsv2,
 * gtsv2_nopivot, gtsv2StridedBatch, gtsvInterleavedBatch and their _bufferSizeExt, for S, D, C and
 * Z. tridia_cusparseDgtsv2 has the arguments of cusparseDgtsv2, and so on; where
 * TRIDIA_CUSPARSE_REPLACE is defined before this header is included, cuSPARSE's names mean tridia's
 * functions in what follows. Link with tridia and cuSPARSE, from which comes the handle, whose
 * stream is used.
 *
 * What differs, docs/c.md says: all of them pivot, dl, d, du and B outside the solution stay as
 * they are, and m may be any number from 0 on.
 *
 * The statuses are cuSPARSE's; after another one than CUSPARSE_STATUS_SUCCESS,
 * tridia_last_error() says what is wrong, unless it was the handle or `algo`. */
#include <cusparse.h>

#include "tridia/c/gtsv.h"

/* Returns cuSPARSE's status for a result. */
static inline cusparseStatus_t tridia_cusparse_status(tridia_result result) {
  switch (result) {
    case TRIDIA_SUCCESS:
      return CUSPARSE_STATUS_SUCCESS;
    case TRIDIA_INVALID_ARGUMENT:
    case TRIDIA_WRONG_DEVICE:
      return CUSPARSE_STATUS_INVALID_VALUE;
    case TRIDIA_UNSUPPORTED:
      return CUSPARSE_STATUS_NOT_SUPPORTED;
    case TRIDIA_OUT_OF_MEMORY:
      return CUSPARSE_STATUS_ALLOC_FAILED;
    case TRIDIA_DEVICE_FAILURE:
      return CUSPARSE_STATUS_EXECUTION_FAILED;
    default:
      return CUSPARSE_STATUS_INTERNAL_ERROR;
  }
}

static inline cusparseStatus_t tridia_cusparse_buffer_size(cusparseHandle_t handle, int arrangement,
                                                           int type, int m, int count, int stride,
                                                           size_t* bytes) {
  cudaStream_t stream = 0;
  const cusparseStatus_t found = cusparseGetStream(handle, &stream);
  if (found != CUSPARSE_STATUS_SUCCESS) return found;
  return tridia_cusparse_status(
      tridia_gtsv_workspace_bytes(arrangement, type, m, count, stride, bytes));
}

static inline cusparseStatus_t tridia_cusparse_solve(cusparseHandle_t handle, int arrangement,
                                                     int type, int m, int count, int stride,
                                                     const void* dl, const void* d, const void* du,
                                                     void* x, void* buffer) {
  cudaStream_t stream = 0;
  const cusparseStatus_t found = cusparseGetStream(handle, &stream);
  if (found != CUSPARSE_STATUS_SUCCESS) return found;
  return tridia_cusparse_status(
      tridia_gtsv_execute(arrangement, type, m, count, stride, dl, d, du, x, buffer, stream));
}

/* Returns whether gtsvInterleavedBatch has an algorithm of this number. They are one here. */
static inline int tridia_cusparse_is_algorithm(int algo) { return algo >= 0 && algo <= 2; }

/* These make the functions of one type. `gtsv2` is gtsv2 or gtsv2_nopivot. */
#define TRIDIA_CUSPARSE_GTSV2(gtsv2, V, type)                                                  \
  static inline cusparseStatus_t tridia_cusparse##gtsv2##_bufferSizeExt(                       \
      cusparseHandle_t handle, int m, int n, const V* dl, const V* d, const V* du, const V* B, \
      int ldb, size_t* bufferSizeInBytes) {                                                    \
    (void)dl, (void)d, (void)du, (void)B;                                                      \
    return tridia_cusparse_buffer_size(handle, TRIDIA_GTSV_COLUMNS, type, m, n, ldb,           \
                                       bufferSizeInBytes);                                     \
  }                                                                                            \
  static inline cusparseStatus_t tridia_cusparse##gtsv2(cusparseHandle_t handle, int m, int n, \
                                                        const V* dl, const V* d, const V* du,  \
                                                        V* B, int ldb, void* pBuffer) {        \
    return tridia_cusparse_solve(handle, TRIDIA_GTSV_COLUMNS, type, m, n, ldb, dl, d, du, B,   \
                                 pBuffer);                                                     \
  }

#define TRIDIA_CUSPARSE_BATCHES(letter, V, type)                                                  \
  static inline cusparseStatus_t tridia_cusparse##letter##gtsv2StridedBatch_bufferSizeExt(        \
      cusparseHandle_t handle, int m, const V* dl, const V* d, const V* du, const V* x,           \
      int batchCount, int batchStride, size_t* bufferSizeInBytes) {                               \
    (void)dl, (void)d, (void)du, (void)x;                                                         \
    return tridia_cusparse_buffer_size(handle, TRIDIA_GTSV_STRIDED, type, m, batchCount,          \
                                       batchStride, bufferSizeInBytes);                           \
  }                                                                                               \
  static inline cusparseStatus_t tridia_cusparse##letter##gtsv2StridedBatch(                      \
      cusparseHandle_t handle, int m, const V* dl, const V* d, const V* du, V* x, int batchCount, \
      int batchStride, void* pBuffer) {                                                           \
    return tridia_cusparse_solve(handle, TRIDIA_GTSV_STRIDED, type, m, batchCount, batchStride,   \
                                 dl, d, du, x, pBuffer);                                          \
  }                                                                                               \
  static inline cusparseStatus_t tridia_cusparse##letter##gtsvInterleavedBatch_bufferSizeExt(     \
      cusparseHandle_t handle, int algo, int m, const V* dl, const V* d, const V* du, const V* x, \
      int batchCount, size_t* pBufferSizeInBytes) {                                               \
    (void)dl, (void)d, (void)du, (void)x;                                                         \
    if (!tridia_cusparse_is_algorithm(algo)) return CUSPARSE_STATUS_INVALID_VALUE;                \
    return tridia_cusparse_buffer_size(handle, TRIDIA_GTSV_INTERLEAVED, type, m, batchCount, 0,   \
                                       pBufferSizeInBytes);                                       \
  }                                                                                               \
  static inline cusparseStatus_t tridia_cusparse##letter##gtsvInterleavedBatch(                   \
      cusparseHandle_t handle, int algo, int m, V* dl, V* d, V* du, V* x, int batchCount,         \
      void* pBuffer) {                                                                            \
    if (!tridia_cusparse_is_algorithm(algo)) return CUSPARSE_STATUS_INVALID_VALUE;                \
    return tridia_cusparse_solve(handle, TRIDIA_GTSV_INTERLEAVED, type, m, batchCount, 0, dl, d,  \
                                 du, x, pBuffer);                                                 \
  }

#define TRIDIA_CUSPARSE_TYPE(letter, V, type)           \
  TRIDIA_CUSPARSE_GTSV2(letter##gtsv2, V, type)         \
  TRIDIA_CUSPARSE_GTSV2(letter##gtsv2_nopivot, V, type) \
  TRIDIA_CUSPARSE_BATCHES(letter, V, type)

TRIDIA_CUSPARSE_TYPE(S, float, TRIDIA_F32)
TRIDIA_CUSPARSE_TYPE(D, double, TRIDIA_F64)
TRIDIA_CUSPARSE_TYPE(C, cuComplex, TRIDIA_C64)
TRIDIA_CUSPARSE_TYPE(Z, cuDoubleComplex, TRIDIA_C128)

#undef TRIDIA_CUSPARSE_TYPE
#undef TRIDIA_CUSPARSE_BATCHES
#undef TRIDIA_CUSPARSE_GTSV2

#ifdef TRIDIA_CUSPARSE_REPLACE
#define cusparseSgtsv2 tridia_cusparseSgtsv2
#define cusparseSgtsv2_bufferSizeExt tridia_cusparseSgtsv2_bufferSizeExt
#define cusparseSgtsv2_nopivot tridia_cusparseSgtsv2_nopivot
#define cusparseSgtsv2_nopivot_bufferSizeExt tridia_cusparseSgtsv2_nopivot_bufferSizeExt
#define cusparseSgtsv2StridedBatch tridia_cusparseSgtsv2StridedBatch
#define cusparseSgtsv2StridedBatch_bufferSizeExt tridia_cusparseSgtsv2StridedBatch_bufferSizeExt
#define cusparseSgtsvInterleavedBatch tridia_cusparseSgtsvInterleavedBatch
#define cusparseSgtsvInterleavedBatch_bufferSizeExt \
  tridia_cusparseSgtsvInterleavedBatch_bufferSizeExt
#define cusparseDgtsv2 tridia_cusparseDgtsv2
#define cusparseDgtsv2_bufferSizeExt tridia_cusparseDgtsv2_bufferSizeExt
#define cusparseDgtsv2_nopivot tridia_cusparseDgtsv2_nopivot
#define cusparseDgtsv2_nopivot_bufferSizeExt tridia_cusparseDgtsv2_nopivot_bufferSizeExt
#define cusparseDgtsv2StridedBatch tridia_cusparseDgtsv2StridedBatch
#define cusparseDgtsv2StridedBatch_bufferSizeExt tridia_cusparseDgtsv2StridedBatch_bufferSizeExt
#define cusparseDgtsvInterleavedBatch tridia_cusparseDgtsvInterleavedBatch
#define cusparseDgtsvInterleavedBatch_bufferSizeExt \
  tridia_cusparseDgtsvInterleavedBatch_bufferSizeExt
#define cusparseCgtsv2 tridia_cusparseCgtsv2
#define cusparseCgtsv2_bufferSizeExt tridia_cusparseCgtsv2_bufferSizeExt
#define cusparseCgtsv2_nopivot tridia_cusparseCgtsv2_nopivot
#define cusparseCgtsv2_nopivot_bufferSizeExt tridia_cusparseCgtsv2_nopivot_bufferSizeExt
#define cusparseCgtsv2StridedBatch tridia_cusparseCgtsv2StridedBatch
#define cusparseCgtsv2StridedBatch_bufferSizeExt tridia_cusparseCgtsv2StridedBatch_bufferSizeExt
#define cusparseCgtsvInterleavedBatch tridia_cusparseCgtsvInterleavedBatch
#define cusparseCgtsvInterleavedBatch_bufferSizeExt \
  tridia_cusparseCgtsvInterleavedBatch_bufferSizeExt
#define cusparseZgtsv2 tridia_cusparseZgtsv2
#define cusparseZgtsv2_bufferSizeExt tridia_cusparseZgtsv2_bufferSizeExt
#define cusparseZgtsv2_nopivot tridia_cusparseZgtsv2_nopivot
#define cusparseZgtsv2_nopivot_bufferSizeExt tridia_cusparseZgtsv2_nopivot_bufferSizeExt
#define cusparseZgtsv2StridedBatch tridia_cusparseZgtsv2StridedBatch
#define cusparseZgtsv2StridedBatch_bufferSizeExt tridia_cusparseZgtsv2StridedBatch_bufferSizeExt
#define cusparseZgtsvInterleavedBatch tridia_cusparseZgtsvInterleavedBatch
#define cusparseZgtsvInterleavedBatch_bufferSizeExt \
  tridia_cusparseZgtsvInterleavedBatch_bufferSizeExt
#endif

#endif
