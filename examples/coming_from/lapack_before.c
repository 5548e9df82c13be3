/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include <lapacke.h>
#include <stdio.h>

enum { n = 64, batch = 50 };
static double dl[batch][n - 1], d[batch][n], du[batch][n - 1], b[batch][n];

int main(void) {
  double sum = 0;
  for (int k = 0; k < batch; ++k)
    for (int i = 0; i < n; ++i) {
      d[k][i] = 3 + k, b[k][i] = i;
      if (i < n - 1) dl[k][i] = du[k][i] = -1;
    }
  for (int k = 0; k < batch; ++k) { /* overwrites all four */
    int info = LAPACKE_dgtsv(LAPACK_ROW_MAJOR, n, 1, dl[k], d[k], du[k], b[k], 1);
    if (info != 0) return 1;
  }
  for (int k = 0; k < batch; ++k) sum += b[k][n / 2];
  printf("%.6f\n", sum);
  return 0;
}
