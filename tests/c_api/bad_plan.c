/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Every function of plans, tuning tables, names and the system, with every argument wrong once. */
#include "bad.h"
#include "refused.h"

static const int64_t extents[2] = {2, 3};
static const int64_t negative[2] = {2, -3};
static double dl[6], d[6] = {1, 1, 1, 1, 1, 1}, du[6], rhs[6] = {1, 2, 3, 4, 5, 6}, x[6];
static char workspace[4096], factors[4096];

static tridia_problem good_problem(void) {
  tridia_problem p = TRIDIA_PROBLEM_INIT;
  p.rank = 2;
  p.extents = extents;
  return p;
}

/* Checks a problem with a field set to a wrong value. */
#define BAD_PROBLEM(word, change)                       \
  do {                                                  \
    tridia_problem p = good_problem();                  \
    tridia_plan* plan = NULL;                           \
    change;                                             \
    INVALID(word, tridia_plan_create(&p, NULL, &plan)); \
    expect(plan == NULL, "no plan is made of " word);   \
  } while (0)

#define BAD_OPTIONS(code, word, change)                     \
  do {                                                      \
    tridia_problem p = good_problem();                      \
    tridia_options o = TRIDIA_OPTIONS_INIT;                 \
    tridia_plan* plan = NULL;                               \
    change;                                                 \
    REFUSED(code, word, tridia_plan_create(&p, &o, &plan)); \
    expect(plan == NULL, "no plan is made of " word);       \
  } while (0)

static void problems(void) {
  static const tridia_matrix_row row = {{1, 0}, {4, 0}, {1, 0}};
  BAD_PROBLEM("problem", p.struct_size = 8);
  BAD_PROBLEM("problem", p.struct_size = sizeof p + 8);
  BAD_PROBLEM("type", p.type = 9);
  BAD_PROBLEM("rank", p.rank = -1);
  BAD_PROBLEM("rank", p.rank = TRIDIA_MAX_RANK + 1);
  BAD_PROBLEM("extents", p.rank = 0);
  BAD_PROBLEM("extents", p.extents = NULL);
  BAD_PROBLEM("extents", p.extents = negative);
  BAD_PROBLEM("axis", p.axis = 2);
  BAD_PROBLEM("boundary", p.boundary = -1);
  BAD_PROBLEM("right_hand_sides", p.right_hand_sides = -1);
  BAD_PROBLEM("pivoting", p.pivoting = 2);
  BAD_PROBLEM("operation", p.operation = 3);
  BAD_PROBLEM("coefficients", p.coefficients = 3);
  BAD_PROBLEM("short_off_diagonals", (p.short_off_diagonals = 1, p.boundary = TRIDIA_PERIODIC));
  BAD_PROBLEM("rhs_step", (p.right_hand_sides = 2, p.rhs_strides = extents));
  BAD_PROBLEM("offset_count", p.offset_count = -1);
  BAD_PROBLEM("offsets", p.offset_count = 3);
  BAD_PROBLEM("ragged_layout", p.ragged_layout = 3);
  BAD_PROBLEM("ragged_layout", p.ragged_layout = TRIDIA_RAGGED_PACKED);
  BAD_PROBLEM("head_count", p.head_count = -1);
  BAD_PROBLEM("head", p.head_count = 1);
  BAD_PROBLEM("tail_count", p.tail_count = -2);
  BAD_PROBLEM("tail", (p.tail_count = 1, p.head = &row, p.head_count = 1));
  {
    tridia_problem p = good_problem();
    p.coefficients = TRIDIA_CONSTANT;
    tridia_plan* plan = NULL;
    REFUSED(TRIDIA_SINGULAR, "", tridia_plan_create(&p, NULL, &plan));
    INVALID("plan", tridia_plan_create(&p, NULL, NULL));
    INVALID("problem", tridia_plan_create(NULL, NULL, &plan));
  }
}

static void options(void) {
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "options:", o.struct_size = 0);
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "backend:", o.backend = 3);
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "algorithm:", o.algorithm = 99);
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "threads:", o.threads = -1);
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "tuning:", o.tuning = (const tridia_tuning*)workspace);
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "switch_point:", o.switch_point = -1);
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "packing_depth:", o.packing_depth = 3);
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "transformation:", o.transformation = 4);
  BAD_OPTIONS(TRIDIA_INVALID_ARGUMENT, "neato_memory:", o.neato_memory = -1);
  BAD_OPTIONS(TRIDIA_UNSUPPORTED, "cr", o.algorithm = TRIDIA_ALGORITHM_CR);
}

static void executions(tridia_plan* plan) {
  tridia_execution e = TRIDIA_EXECUTION_INIT;
  const tridia_execution none = TRIDIA_EXECUTION_INIT;
  size_t bytes = 0;
  e.workspace = workspace;
  e.workspace_bytes = sizeof workspace;
  INVALID("plan", tridia_plan_execute(NULL, dl, d, du, rhs, x, &e));
  INVALID("dl", tridia_plan_execute(plan, NULL, d, du, rhs, x, &e));
  INVALID("d", tridia_plan_execute(plan, dl, NULL, du, rhs, x, &e));
  INVALID("du", tridia_plan_execute(plan, dl, d, NULL, rhs, x, &e));
  INVALID("rhs", tridia_plan_execute(plan, dl, d, du, NULL, x, &e));
  INVALID("x", tridia_plan_execute(plan, dl, d, du, rhs, NULL, &e));
  SUCCEEDS(tridia_plan_workspace_bytes(plan, &bytes));
  if (bytes > 0) {
    INVALID("workspace", tridia_plan_execute(plan, dl, d, du, rhs, x, NULL));
    INVALID("workspace", tridia_plan_execute(plan, dl, d, du, rhs, x, &none));
  }
  INVALID("coefficients", tridia_plan_execute_constant(plan, rhs, x, &e));
  INVALID("plan", tridia_plan_factor(NULL, dl, d, du, factors, &e));
  INVALID("dl", tridia_plan_factor(plan, NULL, d, du, factors, &e));
  INVALID("d", tridia_plan_factor(plan, dl, NULL, du, factors, &e));
  INVALID("du", tridia_plan_factor(plan, dl, d, NULL, factors, &e));
  INVALID("factors", tridia_plan_factor(plan, dl, d, du, NULL, &e));
  INVALID("plan", tridia_plan_solve(NULL, factors, rhs, x, &e));
  INVALID("factors", tridia_plan_solve(plan, NULL, rhs, x, &e));
  INVALID("rhs", tridia_plan_solve(plan, factors, NULL, x, &e));
  INVALID("x", tridia_plan_solve(plan, factors, rhs, NULL, &e));
  e.struct_size = 1;
  INVALID("execution", tridia_plan_execute(plan, dl, d, du, rhs, x, &e));
  INVALID("execution", tridia_plan_factor(plan, dl, d, du, factors, &e));
  INVALID("execution", tridia_plan_solve(plan, factors, rhs, x, &e));
  expect(x[0] == 0 && x[5] == 0, "a refused call writes nothing");
}

static void constant(void) {
  tridia_problem p = good_problem();
  tridia_execution e = TRIDIA_EXECUTION_INIT;
  tridia_plan* plan = NULL;
  p.coefficients = TRIDIA_CONSTANT;
  p.interior.d[0] = 4;
  SUCCEEDS(tridia_plan_create(&p, NULL, &plan));
  e.workspace = workspace;
  e.workspace_bytes = sizeof workspace;
  INVALID("plan", tridia_plan_execute_constant(NULL, rhs, x, &e));
  INVALID("rhs", tridia_plan_execute_constant(plan, NULL, x, &e));
  INVALID("x", tridia_plan_execute_constant(plan, rhs, NULL, &e));
  INVALID("coefficients", tridia_plan_execute(plan, dl, d, du, rhs, x, &e));
  e.struct_size = 0;
  INVALID("execution", tridia_plan_execute_constant(plan, rhs, x, &e));
  INVALID("coefficients", tridia_solve(&p, NULL, dl, d, du, rhs, x, NULL, 0, NULL));
  SUCCEEDS(tridia_plan_destroy(plan));
}

static void getters(tridia_plan* plan) {
  tridia_problem p = TRIDIA_PROBLEM_INIT;
  int number = 7;
  int64_t count = 7;
  size_t bytes = 7;
  const char* text = NULL;
  INVALID("plan", tridia_plan_problem(NULL, &p));
  INVALID("problem", tridia_plan_problem(plan, NULL));
  p.struct_size = 3;
  INVALID("problem", tridia_plan_problem(plan, &p));
  INVALID("plan", tridia_plan_backend(NULL, &number));
  INVALID("backend", tridia_plan_backend(plan, NULL));
  INVALID("plan", tridia_plan_algorithm(NULL, &number));
  INVALID("algorithm", tridia_plan_algorithm(plan, NULL));
  INVALID("plan", tridia_plan_reason(NULL, &text));
  INVALID("reason", tridia_plan_reason(plan, NULL));
  INVALID("plan", tridia_plan_systems(NULL, &count));
  INVALID("systems", tridia_plan_systems(plan, NULL));
  INVALID("plan", tridia_plan_device(NULL, &number));
  INVALID("device", tridia_plan_device(plan, NULL));
  INVALID("plan", tridia_plan_threads(NULL, &number));
  INVALID("threads", tridia_plan_threads(plan, NULL));
  INVALID("plan", tridia_plan_workspace_bytes(NULL, &bytes));
  INVALID("bytes", tridia_plan_workspace_bytes(plan, NULL));
  INVALID("plan", tridia_plan_factors_bytes(NULL, &bytes));
  INVALID("bytes", tridia_plan_factors_bytes(plan, NULL));
  expect(number == 7 && count == 7 && bytes == 7 && text == NULL, "nothing is written");
}

static void one_call(void) {
  tridia_problem p = good_problem();
  tridia_options o = TRIDIA_OPTIONS_INIT;
  int64_t status[2] = {7, 7};
  INVALID("problem", tridia_solve(NULL, NULL, dl, d, du, rhs, x, NULL, 0, NULL));
  INVALID("dl", tridia_solve(&p, NULL, NULL, d, du, rhs, x, NULL, 0, NULL));
  INVALID("d", tridia_solve(&p, NULL, dl, NULL, du, rhs, x, NULL, 0, NULL));
  INVALID("du", tridia_solve(&p, NULL, dl, d, NULL, rhs, x, NULL, 0, NULL));
  INVALID("rhs", tridia_solve(&p, NULL, dl, d, du, NULL, x, NULL, 0, NULL));
  INVALID("x", tridia_solve(&p, NULL, dl, d, du, rhs, NULL, NULL, 0, NULL));
  INVALID("status", tridia_solve(&p, NULL, dl, d, du, rhs, x, NULL, 2, NULL));
  INVALID("status", tridia_solve(&p, NULL, dl, d, du, rhs, x, status, 1, NULL));
  INVALID("status_count", tridia_solve(&p, NULL, dl, d, du, rhs, x, status, 0, NULL));
  INVALID("status_count", tridia_solve(&p, NULL, dl, d, du, rhs, x, status, -1, NULL));
  o.struct_size = 5;
  INVALID("options", tridia_solve(&p, &o, dl, d, du, rhs, x, NULL, 0, NULL));
  expect(status[0] == 7 && x[0] == 0, "a refused call writes nothing");
  REFUSED(TRIDIA_SINGULAR, "2 of 2", tridia_solve(&p, NULL, dl, dl, du, rhs, x, NULL, 0, NULL));
  SUCCEEDS(tridia_solve(&p, NULL, dl, dl, du, rhs, x, status, 2, NULL));
  expect(status[0] == 1 && status[1] == 1 && x[0] != x[0], "singular systems have a status");
}

static void freed(tridia_plan* plan) {
  tridia_plan* other = NULL;
  tridia_problem p = good_problem();
  size_t bytes;
  SUCCEEDS(tridia_plan_destroy(plan));
  SUCCEEDS(tridia_plan_destroy(NULL));
  INVALID("plan", tridia_plan_destroy(plan));
  INVALID("plan", tridia_plan_execute(plan, dl, d, du, rhs, x, NULL));
  INVALID("plan", tridia_plan_workspace_bytes((tridia_plan*)workspace, &bytes));
  SUCCEEDS(tridia_plan_create(&p, NULL, &other));
  INVALID("plan", tridia_plan_execute(plan, dl, d, du, rhs, x, NULL)); /* its place is used again */
  INVALID("tuning", tridia_tuning_destroy((tridia_tuning*)other));
  SUCCEEDS(tridia_plan_destroy(other));
}

void bad_plans(void) {
  tridia_problem p = good_problem();
  tridia_plan* plan = NULL;
  problems();
  options();
  SUCCEEDS(tridia_plan_create(&p, NULL, &plan));
  executions(plan);
  getters(plan);
  constant();
  one_call();
  freed(plan);
  report("plans", checked, wrong);
}
