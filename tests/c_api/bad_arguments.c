/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Every function of the C interface with every argument wrong once: a code, a sentence, no crash.
 */
#include "bad.h"

#include <stdio.h>

static int all = 0, failed = 0;

void report(const char* part, int checked, int wrong) {
  printf("%s: %d calls, %d wrong\n", part, checked, wrong);
  all += checked;
  failed += wrong;
}

int main(void) {
  bad_plans();
  bad_tuning();
  bad_schemes();
  bad_operators();
  bad_differential();
  bad_distributed();
  bad_gtsv();
  printf("%d calls, %d wrong\n", all, failed);
  return failed == 0 ? 0 : 1;
}
