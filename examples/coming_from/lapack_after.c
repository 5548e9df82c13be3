/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <tridia.h>

enum { n = 64, batch = 50 };
static double dl[batch][n - 1], d[batch][n], du[batch][n - 1], b[batch][n];

int main(void) {
  double sum = 0;
  const int64_t extents[2] = {batch, n};
  int64_t info[batch];
  tridia_problem systems = TRIDIA_PROBLEM_INIT;
  for (int k = 0; k < batch; ++k)
    for (int i = 0; i < n; ++i) {
      d[k][i] = 3 + k, b[k][i] = i;
      if (i < n - 1) dl[k][i] = du[k][i] = -1;
    }
  systems.rank = 2;
  systems.extents = extents;
  systems.short_off_diagonals = 1; /* n - 1 entries, as in LAPACK */
  /* Overwrites b alone; info has an entry for each system. */
  if (tridia_solve(&systems, NULL, dl, d, du, b, b, info, batch, NULL)) return 1;
  for (int k = 0; k < batch; ++k) {
    if (info[k] != 0) return 1;
    sum += b[k][n / 2];
  }
  printf("%.6f\n", sum);
  return 0;
}
