/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* This program is linked with tridia_lapack before LAPACK: its xGTSV are tridia's, and it has the
 * rest of LAPACK. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void dgtsv_(const int* n, const int* nrhs, double* dl, double* d, double* du, double* b,
            const int* ldb, int* info);
void dgttrf_(const int* n, double* dl, double* d, double* du, double* du2, int* ipiv, int* info);

/* Returns the file that a name is found in. */
static const char* file_of(const char* name) {
  Dl_info where;
  return dladdr(dlsym(RTLD_DEFAULT, name), &where) != 0 ? where.dli_fname : "nowhere";
}

int main(void) {
  const int n = 3, one = 1;
  double dl[2] = {1, 1}, d[3] = {4, 4, 4}, du[2] = {1, 1}, b[3] = {6, 12, 14}, du2[1];
  int info = 9, ipiv[3];
  dgtsv_(&n, &one, dl, d, du, b, &n, &info);
  printf("info %d, x = %.3f %.3f %.3f, by %s\n", info, b[0], b[1], b[2], file_of("dgtsv_"));
  if (info != 0 || strstr(file_of("dgtsv_"), "libtridia_lapack") == NULL) return 1;
  if (b[0] < 0.999 || b[0] > 1.001 || b[2] < 2.999 || b[2] > 3.001) return 1;
  dgttrf_(&n, dl, d, du, du2, ipiv, &info);
  return info != 0 || strstr(file_of("dgttrf_"), "libtridia_lapack") != NULL;
}
