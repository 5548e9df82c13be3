/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#define TRIDIA_CUSPARSE_REPLACE /* cuSPARSE's names mean tridia's functions */
#include <stddef.h>
#include <tridia_cusparse.h>

/* Solves `systems` systems of `m` rows, one after another in the GPU's memory, in the stream of the
 * handle; x holds the right-hand sides. */
cusparseStatus_t solve(cusparseHandle_t handle, int m, int systems, const double* dl,
                       const double* d, const double* du, double* x) {
  void* buffer = NULL;
  size_t bytes = 0;
  cusparseStatus_t status =
      cusparseDgtsv2StridedBatch_bufferSizeExt(handle, m, dl, d, du, x, systems, m, &bytes);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (bytes > 0 && cudaMalloc(&buffer, bytes) != cudaSuccess) return CUSPARSE_STATUS_ALLOC_FAILED;
  status = cusparseDgtsv2StridedBatch(handle, m, dl, d, du, x, systems, m, buffer);
  cudaFree(buffer); /* waits for the solve */
  return status;
}
