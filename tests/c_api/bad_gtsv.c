/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* The functions of tridia_lapack.h and tridia/c/gtsv.h, with every argument wrong once. The latter
 * refuse wrong arguments before they look for a GPU. */
#include <tridia/c/gtsv.h>
#include <tridia_lapack.h>

#include "bad.h"
#include "refused.h"

enum { n = 3, nrhs = 2, batch = 2, all = n * nrhs * batch };
static double dl[n * batch], d[n * batch], du[n * batch], b[2 * all];
static float fdl[n * batch], fd[n * batch], fdu[n * batch], fb[2 * all];
static int64_t info[batch] = {7, 7};

/* Calls the functions of all types with these arguments; REFUSED and its kind are given `check`. */
#define ALL_TYPES(check, what, a_n, a_nrhs, a_dl, a_d, a_du, a_b, a_ldb, a_stride, a_batch,       \
                  a_info)                                                                         \
  do {                                                                                            \
    check(what, tridia_sgtsv_batch(a_n, a_nrhs, f##a_dl, n, f##a_d, n, f##a_du, n, f##a_b, a_ldb, \
                                   a_stride, a_batch, a_info));                                   \
    check(what, tridia_dgtsv_batch(a_n, a_nrhs, a_dl, n, a_d, n, a_du, n, a_b, a_ldb, a_stride,   \
                                   a_batch, a_info));                                             \
    check(what, tridia_cgtsv_batch(a_n, a_nrhs, a_dl, n, a_d, n, a_du, n, a_b, a_ldb, a_stride,   \
                                   a_batch, a_info));                                             \
    check(what, tridia_zgtsv_batch(a_n, a_nrhs, a_dl, n, a_d, n, a_du, n, a_b, a_ldb, a_stride,   \
                                   a_batch, a_info));                                             \
  } while (0)

static double* const no = NULL;
static float* const fno = NULL;

static void batches(void) {
  ALL_TYPES(INVALID, "n", -1, nrhs, dl, d, du, b, n, n * nrhs, batch, info);
  ALL_TYPES(INVALID, "nrhs", n, -1, dl, d, du, b, n, n * nrhs, batch, info);
  ALL_TYPES(INVALID, "dl", n, nrhs, no, d, du, b, n, n * nrhs, batch, info);
  ALL_TYPES(INVALID, "d", n, nrhs, dl, no, du, b, n, n * nrhs, batch, info);
  ALL_TYPES(INVALID, "du", n, nrhs, dl, d, no, b, n, n * nrhs, batch, info);
  ALL_TYPES(INVALID, "b", n, nrhs, dl, d, du, no, n, n * nrhs, batch, info);
  ALL_TYPES(INVALID, "ldb", n, nrhs, dl, d, du, b, n - 1, n * nrhs, batch, info);
  ALL_TYPES(INVALID, "ldb", 0, nrhs, dl, d, du, b, 0, n * nrhs, batch, info);
  ALL_TYPES(INVALID, "batch", n, nrhs, dl, d, du, b, n, n * nrhs, -1, info);
  /* Solutions that would lie in each other. */
  INVALID("b_stride", tridia_dgtsv_batch(n, nrhs, dl, n, d, n, du, n, b, n, 1, batch, info));
  INVALID("b_stride", tridia_dgtsv_batch(n, nrhs, dl, n, d, n, du, n, b, n, n, batch, info));
  INVALID("b_stride", tridia_dgtsv_batch(n, nrhs, dl, n, d, n, du, n, b, n, 0, batch, info));
  INVALID("b_stride", tridia_dgtsv_batch(n, nrhs, dl, n, d, n, du, n, b, n, -6, batch, info));
  INVALID("b_stride", tridia_dgtsv_batch(n, nrhs, dl, n, d, n, du, n, b, 5, 3, batch, info));
  /* Coefficients in the right-hand sides. */
  INVALID("x", tridia_dgtsv_batch(n, nrhs, b, n, d, n, du, n, b, n, n * nrhs, batch, info));
  expect(info[0] == 7 && info[1] == 7 && b[0] == 0, "a refused call writes nothing");
  REFUSED(TRIDIA_SINGULAR, "2 of 2",
          tridia_dgtsv_batch(n, nrhs, dl, n, d, n, du, n, b, n, n * nrhs, batch, NULL));
  SUCCEEDS(tridia_dgtsv_batch(n, nrhs, dl, n, d, n, du, n, b, n, n * nrhs, batch, info));
  expect(info[0] == 1 && info[1] == 1 && b[0] != b[0], "singular systems have an info");
  SUCCEEDS(tridia_dgtsv_batch(n, nrhs, NULL, 0, NULL, 0, NULL, 0, NULL, n, 0, 0, NULL));
  SUCCEEDS(tridia_dgtsv_batch(0, nrhs, NULL, 0, NULL, 0, NULL, 0, NULL, 1, 0, batch, info));
  expect(info[0] == 0 && info[1] == 0, "systems of no rows are solved");
}

static void on_gpus(void) {
  enum { columns = TRIDIA_GTSV_COLUMNS, strided = TRIDIA_GTSV_STRIDED, f64 = TRIDIA_F64 };
  size_t bytes = 7;
  INVALID("arrangement", tridia_gtsv_workspace_bytes(-1, f64, 4, 2, 4, &bytes));
  INVALID("arrangement", tridia_gtsv_workspace_bytes(3, f64, 4, 2, 4, &bytes));
  INVALID("type", tridia_gtsv_workspace_bytes(columns, 4, 4, 2, 4, &bytes));
  INVALID("m", tridia_gtsv_workspace_bytes(columns, f64, -4, 2, 4, &bytes));
  INVALID("n", tridia_gtsv_workspace_bytes(columns, f64, 4, -2, 4, &bytes));
  INVALID("batchCount", tridia_gtsv_workspace_bytes(strided, f64, 4, -2, 4, &bytes));
  INVALID("ldb", tridia_gtsv_workspace_bytes(columns, f64, 4, 2, 3, &bytes));
  INVALID("ldb", tridia_gtsv_workspace_bytes(columns, f64, 0, 2, 0, &bytes));
  INVALID("batchStride", tridia_gtsv_workspace_bytes(strided, f64, 4, 2, 3, &bytes));
  INVALID("bytes", tridia_gtsv_workspace_bytes(strided, f64, 4, 2, 4, NULL));
  expect(bytes == 7, "nothing is written");
  INVALID("arrangement", tridia_gtsv_execute(4, f64, 3, 2, 3, dl, d, du, b, NULL, NULL));
  INVALID("type", tridia_gtsv_execute(strided, -1, 3, 2, 3, dl, d, du, b, NULL, NULL));
  INVALID("m", tridia_gtsv_execute(strided, f64, -3, 2, 3, dl, d, du, b, NULL, NULL));
  INVALID("batchCount", tridia_gtsv_execute(strided, f64, 3, -2, 3, dl, d, du, b, NULL, NULL));
  INVALID("batchStride", tridia_gtsv_execute(strided, f64, 3, 2, 2, dl, d, du, b, NULL, NULL));
  INVALID("ldb", tridia_gtsv_execute(columns, f64, 3, 2, -3, dl, d, du, b, NULL, NULL));
  INVALID("dl", tridia_gtsv_execute(strided, f64, 3, 2, 3, NULL, d, du, b, NULL, NULL));
  INVALID("d", tridia_gtsv_execute(strided, f64, 3, 2, 3, dl, NULL, du, b, NULL, NULL));
  INVALID("du", tridia_gtsv_execute(strided, f64, 3, 2, 3, dl, d, NULL, b, NULL, NULL));
  INVALID("x", tridia_gtsv_execute(strided, f64, 3, 2, 3, dl, d, du, NULL, NULL, NULL));
  SUCCEEDS(tridia_gtsv_execute(strided, f64, 0, 2, 3, NULL, NULL, NULL, NULL, NULL, NULL));
}

void bad_gtsv(void) {
  batches();
  on_gpus();
  report("drop-in functions", checked, wrong);
}
