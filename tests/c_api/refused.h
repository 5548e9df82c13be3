/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* These count the calls that are not refused as they should be. */
#ifndef REFUSED_H
#define REFUSED_H

#include <stdio.h>
#include <string.h>
#include <tridia.h>
#include <tridia/c/distributed.h>

static int checked = 0, wrong = 0;

/* Checks that a call gives a code and a sentence that holds a word. */
#define REFUSED(code, word, call) refused(code, word, call, #call)
/* Checks that an argument is invalid, and that the sentence begins with its name. */
#define INVALID(name, call) refused(TRIDIA_INVALID_ARGUMENT, name ":", call, #call)
#define SUCCEEDS(call) refused(TRIDIA_SUCCESS, "", call, #call)

static void refused(tridia_result code, const char* word, tridia_result result, const char* call) {
  ++checked;
  if (result == code && strstr(tridia_last_error(), word) != NULL) return;
  ++wrong;
  printf("%s\n  gave %s, not %s; the sentence is \"%s\", which should hold \"%s\"\n", call,
         tridia_result_name(result), tridia_result_name(code), tridia_last_error(), word);
}

static void expect(int good, const char* what) {
  ++checked;
  if (good) return;
  ++wrong;
  printf("not so: %s\n", what);
}

#endif
