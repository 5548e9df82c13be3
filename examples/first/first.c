/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <tridia.h>

static double off[100], d[100], field[64 * 100 * 48];

int main(void) {
  const int64_t extents[3] = {64, 100, 48};
  tridia_problem problem = TRIDIA_PROBLEM_INIT;

  for (int k = 0; k < 100; ++k) off[k] = -1, d[k] = 4;
  for (int k = 0; k < 64 * 100 * 48; ++k) field[k] = 2;
  problem.rank = 3;
  problem.extents = extents;
  problem.axis = 1; /* lines along the middle axis */
  problem.coefficients = TRIDIA_SHARED;
  if (tridia_solve(&problem, NULL, off, d, off, field, field, NULL, 0, NULL)) {
    fprintf(stderr, "%s\n", tridia_last_error());
    return 1;
  }
  printf("%.6f\n", field[50 * 48]); /* 1.000000 */
  return 0;
}
