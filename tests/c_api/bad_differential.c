/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include "bad.h"
#include "refused.h"

static const int64_t extents[2] = {20, 20};
static tridia_scheme* s = NULL;
static tridia_grid grids[2];
static double in[400], out[2][400];
static char workspace[65536];

#define BAD_TERMS(word, change)                                                           \
  do {                                                                                    \
    tridia_differential_term t[2];                                                        \
    tridia_differential_operator* op = NULL;                                              \
    good_terms(t);                                                                        \
    change;                                                                               \
    INVALID(word, tridia_differential_operator_create(TRIDIA_GRADIENT, t, 2, NULL, &op)); \
    expect(op == NULL, "no operator is made of " word);                                   \
  } while (0)

static void good_terms(tridia_differential_term* t) {
  const tridia_differential_term plain = TRIDIA_DIFFERENTIAL_TERM_INIT;
  const tridia_grid g = TRIDIA_GRID_INIT;
  int k;
  for (k = 0; k < 2; ++k) {
    grids[k] = g;
    grids[k].rank = 2;
    grids[k].extents = extents;
    grids[k].axis = k;
    t[k] = plain;
    t[k].scheme = s;
    t[k].grid = &grids[k];
  }
}

static void making(void) {
  tridia_differential_term t[2];
  tridia_options o = TRIDIA_OPTIONS_INIT;
  tridia_differential_operator* op = NULL;
  BAD_TERMS("terms", t[1].struct_size = 8);
  BAD_TERMS("scheme", t[1].scheme = NULL);
  BAD_TERMS("closure", t[0].closure = (const tridia_closure*)s);
  BAD_TERMS("grid", t[1].grid = NULL);
  BAD_TERMS("type", grids[1].type = -1);
  BAD_TERMS("axis", grids[0].axis = 2);
  good_terms(t);
  INVALID("kind", tridia_differential_operator_create(-1, t, 2, NULL, &op));
  INVALID("kind", tridia_differential_operator_create(3, t, 2, NULL, &op));
  INVALID("terms", tridia_differential_operator_create(TRIDIA_LAPLACIAN, NULL, 2, NULL, &op));
  INVALID("term_count", tridia_differential_operator_create(TRIDIA_LAPLACIAN, t, -1, NULL, &op));
  INVALID("terms", tridia_differential_operator_create(TRIDIA_LAPLACIAN, t, 0, NULL, &op));
  INVALID("op", tridia_differential_operator_create(TRIDIA_LAPLACIAN, t, 2, NULL, NULL));
  o.struct_size = 1;
  INVALID("options", tridia_differential_operator_create(TRIDIA_LAPLACIAN, t, 2, &o, &op));
}

static void applying(const tridia_differential_operator* op) {
  const void* from[1] = {in};
  void *to[2] = {out[0], out[1]}, *none[2] = {out[0], NULL}, *twice[2] = {out[0], out[0]};
  tridia_execution e = TRIDIA_EXECUTION_INIT;
  e.workspace = workspace;
  e.workspace_bytes = sizeof workspace;
  INVALID("op", tridia_differential_operator_apply(NULL, from, to, &e));
  INVALID("in", tridia_differential_operator_apply(op, NULL, to, &e));
  INVALID("out", tridia_differential_operator_apply(op, from, NULL, &e));
  INVALID("out", tridia_differential_operator_apply(op, from, none, &e));
  INVALID("out", tridia_differential_operator_apply(op, from, twice, &e));
  INVALID("op", tridia_differential_operator_apply_add(NULL, 1, from, to, &e));
  INVALID("in", tridia_differential_operator_apply_add(op, 1, NULL, to, &e));
  INVALID("out", tridia_differential_operator_apply_add(op, 1, from, NULL, &e));
  e.struct_size = 7;
  INVALID("execution", tridia_differential_operator_apply(op, from, to, &e));
  INVALID("execution", tridia_differential_operator_apply_add(op, 1, from, to, &e));
  SUCCEEDS(tridia_differential_operator_apply(op, from, to, NULL));
}

static void getters(const tridia_differential_operator* op) {
  const int64_t* shape = NULL;
  const char* text = NULL;
  int number = 7;
  size_t bytes = 7;
  INVALID("op", tridia_differential_operator_term_count(NULL, &number));
  INVALID("count", tridia_differential_operator_term_count(op, NULL));
  INVALID("op", tridia_differential_operator_in_count(NULL, &number));
  INVALID("count", tridia_differential_operator_in_count(op, NULL));
  INVALID("op", tridia_differential_operator_out_count(NULL, &number));
  INVALID("count", tridia_differential_operator_out_count(op, NULL));
  INVALID("op", tridia_differential_operator_kind(NULL, &number));
  INVALID("kind", tridia_differential_operator_kind(op, NULL));
  INVALID("op", tridia_differential_operator_in_extents(NULL, 0, &shape, &number));
  INVALID("term", tridia_differential_operator_in_extents(op, 2, &shape, &number));
  INVALID("extents", tridia_differential_operator_in_extents(op, 0, NULL, &number));
  INVALID("rank", tridia_differential_operator_in_extents(op, 0, &shape, NULL));
  INVALID("op", tridia_differential_operator_out_extents(NULL, 0, &shape, &number));
  INVALID("term", tridia_differential_operator_out_extents(op, -1, &shape, &number));
  INVALID("extents", tridia_differential_operator_out_extents(op, 0, NULL, &number));
  INVALID("rank", tridia_differential_operator_out_extents(op, 0, &shape, NULL));
  INVALID("op", tridia_differential_operator_backend(NULL, &number));
  INVALID("backend", tridia_differential_operator_backend(op, NULL));
  INVALID("op", tridia_differential_operator_device(NULL, &number));
  INVALID("device", tridia_differential_operator_device(op, NULL));
  INVALID("op", tridia_differential_operator_threads(NULL, &number));
  INVALID("threads", tridia_differential_operator_threads(op, NULL));
  INVALID("op", tridia_differential_operator_workspace_bytes(NULL, &bytes));
  INVALID("bytes", tridia_differential_operator_workspace_bytes(op, NULL));
  INVALID("op", tridia_differential_operator_warning(NULL, &text));
  INVALID("warning", tridia_differential_operator_warning(op, NULL));
  INVALID("op", tridia_differential_operator_description(NULL, &text));
  INVALID("description", tridia_differential_operator_description(op, NULL));
  expect(number == 7 && bytes == 7 && text == NULL && shape == NULL, "nothing is written");
}

void bad_differential(void) {
  tridia_differential_term t[2];
  tridia_differential_operator* op = NULL;
  SUCCEEDS(tridia_scheme_find(TRIDIA_FIRST_DERIVATIVE, "C6", TRIDIA_STAGGERING_NONE, 0.45, &s));
  making();
  good_terms(t);
  SUCCEEDS(tridia_differential_operator_create(TRIDIA_GRADIENT, t, 2, NULL, &op));
  applying(op);
  getters(op);
  SUCCEEDS(tridia_differential_operator_destroy(op));
  INVALID("op", tridia_differential_operator_destroy(op));
  SUCCEEDS(tridia_scheme_destroy(s));
  report("differential operators", checked, wrong);
}
