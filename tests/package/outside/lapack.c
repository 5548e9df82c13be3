/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* This program calls LAPACK's dgtsv, and is linked with tridia_lapack alone. */
#include <stdio.h>

void dgtsv_(const int* n, const int* nrhs, double* dl, double* d, double* du, double* b,
            const int* ldb, int* info);

int main(void) {
  const int n = 3, one = 1, too_small = 2;
  double dl[2] = {1, 1}, d[3] = {4, 4, 4}, du[2] = {1, 1}, b[3] = {5, 6, 5};
  int info = 9, wrong = 9;
  dgtsv_(&n, &one, dl, d, du, b, &too_small, &wrong); /* without an xerbla_ in the program */
  dgtsv_(&n, &one, dl, d, du, b, &n, &info);
  printf("%d %d %.6f\n", wrong, info, b[1]);
  return wrong == -7 && info == 0 && b[1] > 0.999999 && b[1] < 1.000001 ? 0 : 1;
}
