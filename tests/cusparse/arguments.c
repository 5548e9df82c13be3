/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Every function of tridia_cusparse.h under cuSPARSE's name, with every argument wrong once: a
 * status, a sentence, and nothing written, before a GPU is looked for. There is no cuSPARSE in this
 * program: what it finds under these names is tridia's. */
#define TRIDIA_CUSPARSE_REPLACE
#include <stdio.h>
#include <string.h>
#include <tridia_cusparse.h>

static int checked = 0, wrong = 0;

/* This stands for cuSPARSE's function: a handle is the address of its stream. */
cusparseStatus_t CUSPARSEAPI cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  if (handle == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
  memcpy(stream, (const void*)handle, sizeof *stream);
  return CUSPARSE_STATUS_SUCCESS;
}

static void expect(cusparseStatus_t expected, const char* name, cusparseStatus_t status,
                   const char* call) {
  const char* const sentence = tridia_last_error();
  ++checked;
  if (status == expected && strncmp(sentence, name, strlen(name)) == 0) return;
  ++wrong;
  printf("%s\n  gave %d, not %d; the sentence is \"%s\"\n", call, (int)status, (int)expected,
         sentence);
}
/* An argument is wrong: the sentence begins with its name. */
#define INVALID(name, call) expect(CUSPARSE_STATUS_INVALID_VALUE, name ":", call, #call)
#define STATUS(status, call) expect(status, "", call, #call)

#define CHECK_TYPE(t, V)                                                                         \
  do {                                                                                           \
    static V a[12];                                                                              \
    size_t bytes = 7;                                                                            \
    cudaStream_t stream = NULL;                                                                  \
    cusparseHandle_t h = (cusparseHandle_t)(void*)&stream;                                       \
    CHECK_COLUMNS(cusparse##t##gtsv2, cusparse##t##gtsv2_bufferSizeExt);                         \
    CHECK_COLUMNS(cusparse##t##gtsv2_nopivot, cusparse##t##gtsv2_nopivot_bufferSizeExt);         \
    CHECK_STRIDED(cusparse##t##gtsv2StridedBatch, cusparse##t##gtsv2StridedBatch_bufferSizeExt); \
    CHECK_INTERLEAVED(cusparse##t##gtsvInterleavedBatch,                                         \
                      cusparse##t##gtsvInterleavedBatch_bufferSizeExt);                          \
    ++checked;                                                                                   \
    if (bytes != 7) ++wrong, printf("a refused call writes a size\n");                           \
  } while (0)

#define CHECK_COLUMNS(solve, size)                                                  \
  STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, size(NULL, 3, 2, a, a, a, a, 3, &bytes)); \
  STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, solve(NULL, 3, 2, a, a, a, a, 3, NULL));  \
  INVALID("m", size(h, -3, 2, a, a, a, a, 3, &bytes));                              \
  INVALID("n", size(h, 3, -2, a, a, a, a, 3, &bytes));                              \
  INVALID("ldb", size(h, 3, 2, a, a, a, a, 2, &bytes));                             \
  INVALID("bytes", size(h, 3, 2, a, a, a, a, 3, NULL));                             \
  INVALID("m", solve(h, -3, 2, a, a, a, a, 3, NULL));                               \
  INVALID("n", solve(h, 3, -2, a, a, a, a, 3, NULL));                               \
  INVALID("ldb", solve(h, 3, 2, a, a, a, a, 2, NULL));                              \
  INVALID("dl", solve(h, 3, 2, NULL, a, a, a, 3, NULL));                            \
  INVALID("d", solve(h, 3, 2, a, NULL, a, a, 3, NULL));                             \
  INVALID("du", solve(h, 3, 2, a, a, NULL, a, 3, NULL));                            \
  INVALID("x", solve(h, 3, 2, a, a, a, NULL, 3, NULL));                             \
  STATUS(CUSPARSE_STATUS_SUCCESS, solve(h, 0, 2, NULL, NULL, NULL, NULL, 1, NULL))

#define CHECK_STRIDED(solve, size)                                                  \
  STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, size(NULL, 3, a, a, a, a, 2, 3, &bytes)); \
  STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, solve(NULL, 3, a, a, a, a, 2, 3, NULL));  \
  INVALID("m", size(h, -3, a, a, a, a, 2, 3, &bytes));                              \
  INVALID("batchCount", size(h, 3, a, a, a, a, -2, 3, &bytes));                     \
  INVALID("batchStride", size(h, 3, a, a, a, a, 2, 2, &bytes));                     \
  INVALID("bytes", size(h, 3, a, a, a, a, 2, 3, NULL));                             \
  INVALID("m", solve(h, -3, a, a, a, a, 2, 3, NULL));                               \
  INVALID("batchCount", solve(h, 3, a, a, a, a, -2, 3, NULL));                      \
  INVALID("batchStride", solve(h, 3, a, a, a, a, 2, 2, NULL));                      \
  INVALID("dl", solve(h, 3, NULL, a, a, a, 2, 3, NULL));                            \
  INVALID("d", solve(h, 3, a, NULL, a, a, 2, 3, NULL));                             \
  INVALID("du", solve(h, 3, a, a, NULL, a, 2, 3, NULL));                            \
  INVALID("x", solve(h, 3, a, a, a, NULL, 2, 3, NULL));                             \
  STATUS(CUSPARSE_STATUS_SUCCESS, solve(h, 3, NULL, NULL, NULL, NULL, 0, 3, NULL))

#define CHECK_INTERLEAVED(solve, size)                                              \
  STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, size(NULL, 0, 3, a, a, a, a, 2, &bytes)); \
  STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, solve(NULL, 0, 3, a, a, a, a, 2, NULL));  \
  STATUS(CUSPARSE_STATUS_INVALID_VALUE, size(h, 3, 3, a, a, a, a, 2, &bytes));      \
  STATUS(CUSPARSE_STATUS_INVALID_VALUE, size(h, -1, 3, a, a, a, a, 2, &bytes));     \
  STATUS(CUSPARSE_STATUS_INVALID_VALUE, solve(h, 3, 3, a, a, a, a, 2, NULL));       \
  INVALID("m", size(h, 2, -3, a, a, a, a, 2, &bytes));                              \
  INVALID("batchCount", size(h, 1, 3, a, a, a, a, -2, &bytes));                     \
  INVALID("bytes", size(h, 0, 3, a, a, a, a, 2, NULL));                             \
  INVALID("m", solve(h, 0, -3, a, a, a, a, 2, NULL));                               \
  INVALID("batchCount", solve(h, 1, 3, a, a, a, a, -2, NULL));                      \
  INVALID("dl", solve(h, 2, 3, NULL, a, a, a, 2, NULL));                            \
  INVALID("d", solve(h, 0, 3, a, NULL, a, a, 2, NULL));                             \
  INVALID("du", solve(h, 0, 3, a, a, NULL, a, 2, NULL));                            \
  INVALID("x", solve(h, 0, 3, a, a, a, NULL, 2, NULL));                             \
  STATUS(CUSPARSE_STATUS_SUCCESS, solve(h, 1, 3, NULL, NULL, NULL, NULL, 0, NULL))

/* The program that the documentation shows, in examples/c. */
cusparseStatus_t solve(cusparseHandle_t handle, int m, int systems, const double* dl,
                       const double* d, const double* du, double* x);

int main(void) {
  CHECK_TYPE(S, float);
  CHECK_TYPE(D, double);
  CHECK_TYPE(C, cuComplex);
  CHECK_TYPE(Z, cuDoubleComplex);
  STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, solve(NULL, 3, 2, NULL, NULL, NULL, NULL));
  STATUS(CUSPARSE_STATUS_INTERNAL_ERROR, tridia_cusparse_status(TRIDIA_UNKNOWN_ERROR));
  STATUS(CUSPARSE_STATUS_NOT_SUPPORTED, tridia_cusparse_status(TRIDIA_UNSUPPORTED));
  STATUS(CUSPARSE_STATUS_ALLOC_FAILED, tridia_cusparse_status(TRIDIA_OUT_OF_MEMORY));
  STATUS(CUSPARSE_STATUS_EXECUTION_FAILED, tridia_cusparse_status(TRIDIA_DEVICE_FAILURE));
  STATUS(CUSPARSE_STATUS_INVALID_VALUE, tridia_cusparse_status(TRIDIA_WRONG_DEVICE));
  printf("%d checks, %d wrong\n", checked, wrong);
  return wrong == 0 ? 0 : 1;
}
