/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_GTSV_H
#define TRIDIA_C_GTSV_H

#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* These are the arrangements of systems in cuSPARSE's gtsv routines, which tridia_cusparse.h
 * stands on. */
enum tridia_gtsv_arrangement {
  TRIDIA_GTSV_COLUMNS,    /* One matrix; `count` right-hand sides, `stride` elements apart. */
  TRIDIA_GTSV_STRIDED,    /* `count` systems; in every array the next is `stride` elements on. */
  TRIDIA_GTSV_INTERLEAVED /* Row i of system k is element i * count + k; `stride` is ignored. */
};

/* Sets `bytes` to the workspace that tridia_gtsv_execute needs for these arguments on the current
 * GPU. `type` is a tridia_value_type; all arrays have `m` rows. */
TRIDIA_API tridia_result tridia_gtsv_workspace_bytes(int arrangement, int type, int64_t m,
                                                     int64_t count, int64_t stride, size_t* bytes);

/* Solves with partial pivoting on the current GPU, in `stream` (a cudaStream_t; null is the default
 * one); `x` holds the right-hand sides, and then the solutions. `dl`, `d` and `du` have an entry
 * for every row (the first one of `dl` and the last one of `du` are never read), and are not
 * changed. A system without a finite solution has an x that is NaN. It neither allocates on the GPU
 * nor waits for it. The plan of these arguments is kept: the last 64 are. */
TRIDIA_API tridia_result tridia_gtsv_execute(int arrangement, int type, int64_t m, int64_t count,
                                             int64_t stride, const void* dl, const void* d,
                                             const void* du, void* x, void* workspace,
                                             void* stream);

#ifdef __cplusplus
}
#endif

#endif
