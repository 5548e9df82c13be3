/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include "bad.h"
#include "refused.h"

static const int64_t extents[1] = {20};
static const int64_t negative[1] = {-20};
static tridia_scheme* s = NULL;
static double in[20], out[20];
static char workspace[65536];

#define BAD_GRID(word, change)                                     \
  do {                                                             \
    tridia_grid g = good_grid();                                   \
    tridia_operator* op = NULL;                                    \
    change;                                                        \
    INVALID(word, tridia_operator_create(s, NULL, &g, NULL, &op)); \
    expect(op == NULL, "no operator is made of " word);            \
  } while (0)

static tridia_grid good_grid(void) {
  tridia_grid g = TRIDIA_GRID_INIT;
  g.rank = 1;
  g.extents = extents;
  return g;
}

static void grids(void) {
  BAD_GRID("grid", g.struct_size = 8);
  BAD_GRID("type", g.type = -1);
  BAD_GRID("rank", g.rank = -1);
  BAD_GRID("extents", g.extents = NULL);
  BAD_GRID("extents", g.extents = negative);
  BAD_GRID("axis", g.axis = 1);
  BAD_GRID("boundary", g.boundary = 2);
  BAD_GRID("spacing", g.spacing = 0);
  BAD_GRID("head", g.head = 9);
  BAD_GRID("tail", g.tail = -1);
  BAD_GRID("metric", g.metric_count = 3);
  BAD_GRID("metric_count", g.metric_count = -1);
  BAD_GRID("fields", g.fields = -1);
  BAD_GRID("operation", g.operation = 3);
  BAD_GRID("reserved", g.reserved = 1);
}

static void making(void) {
  tridia_grid g = good_grid();
  tridia_options o = TRIDIA_OPTIONS_INIT;
  tridia_operator* op = NULL;
  INVALID("scheme", tridia_operator_create(NULL, NULL, &g, NULL, &op));
  INVALID("closure", tridia_operator_create(s, (const tridia_closure*)s, &g, NULL, &op));
  INVALID("grid", tridia_operator_create(s, NULL, NULL, NULL, &op));
  INVALID("op", tridia_operator_create(s, NULL, &g, NULL, NULL));
  o.struct_size = 1;
  INVALID("options", tridia_operator_create(s, NULL, &g, &o, &op));
}

static void applying(const tridia_operator* op) {
  tridia_execution e = TRIDIA_EXECUTION_INIT;
  tridia_execution small = TRIDIA_EXECUTION_INIT;
  size_t bytes = 0;
  e.workspace = workspace;
  e.workspace_bytes = sizeof workspace;
  INVALID("op", tridia_operator_apply(NULL, in, out, &e));
  INVALID("in", tridia_operator_apply(op, NULL, out, &e));
  INVALID("out", tridia_operator_apply(op, in, NULL, &e));
  INVALID("op", tridia_operator_apply_add(NULL, 1, in, out, &e));
  INVALID("in", tridia_operator_apply_add(op, 1, NULL, out, &e));
  INVALID("out", tridia_operator_apply_add(op, 1, in, NULL, &e));
  SUCCEEDS(tridia_operator_workspace_bytes(op, &bytes));
  if (bytes > 0) INVALID("workspace", tridia_operator_apply(op, in, out, &small));
  e.struct_size = 7;
  INVALID("execution", tridia_operator_apply(op, in, out, &e));
  INVALID("execution", tridia_operator_apply_add(op, 1, in, out, &e));
  SUCCEEDS(tridia_operator_apply(op, in, out, NULL));
}

static void getters(const tridia_operator* op) {
  tridia_grid g = TRIDIA_GRID_INIT;
  const int64_t* shape = NULL;
  const char* text = NULL;
  int number = 7;
  size_t bytes = 7;
  INVALID("op", tridia_operator_grid(NULL, &g));
  INVALID("grid", tridia_operator_grid(op, NULL));
  g.struct_size = 0;
  INVALID("grid", tridia_operator_grid(op, &g));
  INVALID("op", tridia_operator_in_extents(NULL, &shape, &number));
  INVALID("extents", tridia_operator_in_extents(op, NULL, &number));
  INVALID("rank", tridia_operator_in_extents(op, &shape, NULL));
  INVALID("op", tridia_operator_out_extents(NULL, &shape, &number));
  INVALID("extents", tridia_operator_out_extents(op, NULL, &number));
  INVALID("rank", tridia_operator_out_extents(op, &shape, NULL));
  INVALID("op", tridia_operator_backend(NULL, &number));
  INVALID("backend", tridia_operator_backend(op, NULL));
  INVALID("op", tridia_operator_device(NULL, &number));
  INVALID("device", tridia_operator_device(op, NULL));
  INVALID("op", tridia_operator_threads(NULL, &number));
  INVALID("threads", tridia_operator_threads(op, NULL));
  INVALID("op", tridia_operator_workspace_bytes(NULL, &bytes));
  INVALID("bytes", tridia_operator_workspace_bytes(op, NULL));
  INVALID("op", tridia_operator_warning(NULL, &text));
  INVALID("warning", tridia_operator_warning(op, NULL));
  INVALID("op", tridia_operator_description(NULL, &text));
  INVALID("description", tridia_operator_description(op, NULL));
  expect(number == 7 && bytes == 7 && text == NULL && shape == NULL, "nothing is written");
}

void bad_operators(void) {
  tridia_grid g = good_grid();
  tridia_operator* op = NULL;
  SUCCEEDS(tridia_scheme_find(TRIDIA_FIRST_DERIVATIVE, "C6", TRIDIA_STAGGERING_NONE, 0.45, &s));
  grids();
  making();
  SUCCEEDS(tridia_operator_create(s, NULL, &g, NULL, &op));
  applying(op);
  getters(op);
  SUCCEEDS(tridia_operator_destroy(op));
  INVALID("op", tridia_operator_destroy(op));
  SUCCEEDS(tridia_scheme_destroy(s));
  report("operators", checked, wrong);
}
