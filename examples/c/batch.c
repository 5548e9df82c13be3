/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <tridia_lapack.h>

int main(void) {
  enum { n = 100, nrhs = 2, batch = 500, ldb = n };
  static double dl[n - 1], d[n], du[n - 1], b[batch * nrhs * ldb];
  int64_t info[batch];

  for (int i = 0; i < n - 1; ++i) dl[i] = du[i] = -1;
  for (int i = 0; i < n; ++i) d[i] = 2.5;
  for (int k = 0; k < batch * nrhs * ldb; ++k) b[k] = 0.5;
  /* One matrix for all systems: the strides of dl, d and du are 0. */
  if (tridia_dgtsv_batch(n, nrhs, dl, 0, d, 0, du, 0, b, ldb, nrhs * ldb, batch, info)) {
    fprintf(stderr, "%s\n", tridia_last_error());
    return 1;
  }
  printf("info %d, x = %.6f\n", (int)info[0], b[n / 2]); /* info 0, x = 1.000000 */
  return 0;
}
