/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <tridia.h>

/* Says what failed and ends the program. */
static void check(tridia_result result) {
  if (result == TRIDIA_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", tridia_result_name(result), tridia_last_error());
  exit(1);
}

int main(void) {
  enum { nx = 4, ny = 100, nz = 8, points = nx * ny * nz };
  const int64_t extents[3] = {nx, ny, nz}; /* C order: z is contiguous */
  static double dl[ny], d[ny], du[ny], field[points];
  int64_t status[nx * nz];
  tridia_problem problem = TRIDIA_PROBLEM_INIT;
  tridia_execution e = TRIDIA_EXECUTION_INIT;
  tridia_plan* plan = NULL;
  const char* reason = NULL;

  for (int j = 0; j < ny; ++j) dl[j] = du[j] = -1, d[j] = 4;
  for (int k = 0; k < points; ++k) field[k] = 2;

  problem.rank = 3;
  problem.extents = extents;
  problem.axis = 1; /* lines along y, one matrix for all of them */
  problem.coefficients = TRIDIA_SHARED;
  check(tridia_plan_create(&problem, NULL, &plan));
  check(tridia_plan_reason(plan, &reason));
  check(tridia_plan_workspace_bytes(plan, &e.workspace_bytes));
  e.workspace = malloc(e.workspace_bytes);
  e.status = status;
  for (int step = 0; step < 10; ++step) /* in place; nothing is allocated here */
    check(tridia_plan_execute(plan, dl, d, du, field, field, &e));
  printf("status %d: %s\n", (int)status[0], reason);
  check(tridia_plan_destroy(plan));
  free(e.workspace);
  return 0;
}
