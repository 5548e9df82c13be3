/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* This is preloaded before tridia_lapack: it passes the calls of xGTSV on to the next library that
 * has them, and says at the end how many there were, and where they went. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void routine(const void* n, const void* nrhs, void* dl, void* d, void* du, void* b,
                     const void* ldb, void* info);

enum { routines = 4 };
static const char* const names[routines] = {"sgtsv_", "dgtsv_", "cgtsv_", "zgtsv_"};
static routine* next[routines];
static long calls[routines];

static routine* find(int k) {
  if (next[k] == NULL) next[k] = (routine*)dlsym(RTLD_NEXT, names[k]);
  if (next[k] == NULL) abort();
  ++calls[k];
  return next[k];
}

#define PASS_ON(k, name)                                                           \
  void name(const void* n, const void* nrhs, void* dl, void* d, void* du, void* b, \
            const void* ldb, void* info) {                                         \
    find(k)(n, nrhs, dl, d, du, b, ldb, info);                                     \
  }
PASS_ON(0, sgtsv_)
PASS_ON(1, dgtsv_)
PASS_ON(2, cgtsv_)
PASS_ON(3, zgtsv_)

__attribute__((destructor)) static void say(void) {
  for (int k = 0; k < routines; ++k) {
    Dl_info where;
    if (calls[k] > 0 && dladdr((void*)next[k], &where) != 0)
      fprintf(stderr, "calls of %s: %ld, by %s\n", names[k], calls[k], where.dli_fname);
  }
}
