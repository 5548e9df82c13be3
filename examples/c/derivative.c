/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tridia.h>

int main(void) {
  enum { n = 101 };
  const double h = 0.02;
  const int64_t extents[1] = {n};
  double f[n], df[n];
  tridia_grid line = TRIDIA_GRID_INIT;
  tridia_scheme* c6 = NULL;
  tridia_operator* ddx = NULL;

  for (int i = 0; i < n; ++i) f[i] = exp(h * i);
  line.rank = 1;
  line.extents = extents;
  line.spacing = h;
  if (tridia_scheme_find(TRIDIA_FIRST_DERIVATIVE, "C6", TRIDIA_STAGGERING_NONE, 0.45, &c6) ||
      tridia_operator_create(c6, NULL, &line, NULL, &ddx) || /* closed by 3-4-6-4-3 */
      tridia_operator_apply(ddx, f, df, NULL)) {
    fprintf(stderr, "%s\n", tridia_last_error());
    return 1;
  }
  printf("%.6f\n", df[50] / f[50]); /* 1.000000 */
  tridia_operator_destroy(ddx);
  tridia_scheme_destroy(c6);
  return 0;
}
