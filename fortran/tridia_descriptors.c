/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Does what module tridia asks for, with arrays that it describes by their descriptors. */
#include "tridia_descriptors.h"

int tridia_fortran_solve(const tridia_problem* base, const tridia_options* options, CFI_cdesc_t* dl,
                         CFI_cdesc_t* d, CFI_cdesc_t* du, CFI_cdesc_t* rhs, CFI_cdesc_t* x, int dim,
                         int64_t* status, int64_t status_count, char* message) {
  const CFI_cdesc_t* const arrays[array_count] = {dl, d, du, rhs, x};
  description s;
  s.problem = *base;
  const int result = describe(&s, arrays, dim, message);
  if (result != TRIDIA_SUCCESS) return result;
  return told(tridia_solve(&s.problem, options, address(dl), address(d), address(du), address(rhs),
                           address(x), status, status_count, NULL),
              message);
}

/* Makes a plan for arrays of these shapes and strides; of their elements nothing is read. */
int tridia_fortran_plan_for(const tridia_problem* base, const tridia_options* options,
                            CFI_cdesc_t* dl, CFI_cdesc_t* d, CFI_cdesc_t* du, CFI_cdesc_t* rhs,
                            CFI_cdesc_t* x, int dim, tridia_plan** plan, char* message) {
  const CFI_cdesc_t* const arrays[array_count] = {dl, d, du, rhs, x};
  description s;
  s.problem = *base;
  const int result = describe(&s, arrays, dim, message);
  if (result != TRIDIA_SUCCESS) return result;
  return told(tridia_plan_create(&s.problem, options, plan), message);
}

static int check_layouts(const tridia_plan* plan, const CFI_cdesc_t* const a[array_count],
                         char* message) {
  tridia_problem p = TRIDIA_PROBLEM_INIT;
  const int result = told(tridia_plan_problem(plan, &p), message);
  return result != TRIDIA_SUCCESS ? result : check_all(&p, a, message);
}

/* Names the work that a plan does. */
enum { work_execute, work_constant, work_factor, work_solve };

static int do_work(const tridia_plan* plan, int work, const CFI_cdesc_t* const a[array_count],
                   void* factors, const tridia_execution* e) {
  switch (work) {
    case work_execute:
      return tridia_plan_execute(plan, address(a[0]), address(a[1]), address(a[2]), address(a[3]),
                                 address(a[4]), e);
    case work_constant:
      return tridia_plan_execute_constant(plan, address(a[3]), address(a[4]), e);
    case work_factor:
      return tridia_plan_factor(plan, address(a[0]), address(a[1]), address(a[2]), factors, e);
    default:
      return tridia_plan_solve(plan, factors, address(a[3]), address(a[4]), e);
  }
}

/* Does the work on host arrays; without a workspace one is allocated for the call. */
static int run(const tridia_plan* plan, int work, const CFI_cdesc_t* const a[array_count],
               void* factors, const tridia_execution* given, char* message) {
  tridia_execution e = *given;
  void* own = NULL;
  int result = check_layouts(plan, a, message);
  if (result != TRIDIA_SUCCESS) return result;
  if (e.workspace == NULL) {
    result = told(tridia_plan_workspace_bytes(plan, &e.workspace_bytes), message);
    if (result != TRIDIA_SUCCESS) return result;
    own = malloc(e.workspace_bytes + 1);
    if (own == NULL) {
      snprintf(message, message_size, "workspace: no host memory");
      return TRIDIA_OUT_OF_MEMORY;
    }
    e.workspace = own;
  }
  result = told(do_work(plan, work, a, factors, &e), message);
  free(own);
  return result;
}

/* Solves; dl, d and du are null where the coefficients are constant. */
int tridia_fortran_execute(const tridia_plan* plan, CFI_cdesc_t* dl, CFI_cdesc_t* d,
                           CFI_cdesc_t* du, CFI_cdesc_t* rhs, CFI_cdesc_t* x,
                           const tridia_execution* e, char* message) {
  const CFI_cdesc_t* const arrays[array_count] = {dl, d, du, rhs, x};
  return run(plan, dl == NULL ? work_constant : work_execute, arrays, NULL, e, message);
}

int tridia_fortran_factor(const tridia_plan* plan, CFI_cdesc_t* dl, CFI_cdesc_t* d, CFI_cdesc_t* du,
                          void* factors, const tridia_execution* e, char* message) {
  const CFI_cdesc_t* const arrays[array_count] = {dl, d, du, NULL, NULL};
  return run(plan, work_factor, arrays, factors, e, message);
}

int tridia_fortran_solve_factored(const tridia_plan* plan, void* factors, CFI_cdesc_t* rhs,
                                  CFI_cdesc_t* x, const tridia_execution* e, char* message) {
  const CFI_cdesc_t* const arrays[array_count] = {NULL, NULL, NULL, rhs, x};
  return run(plan, work_solve, arrays, factors, e, message);
}

/* Makes an operator for arrays of these shapes and strides. */
int tridia_fortran_operator_for(const tridia_grid* base, const tridia_options* options,
                                const scheme_choice* choice, CFI_cdesc_t* in, CFI_cdesc_t* out,
                                int dim, tridia_operator** op, char* message) {
  field_pair f;
  tridia_grid g = *base;
  tridia_scheme* s = NULL;
  tridia_closure* c = NULL;
  int result = describe_fields(&f, &g, in, out, dim, message);
  if (result != TRIDIA_SUCCESS) return result;
  result = find_choice(choice, &s, &c);
  if (result == TRIDIA_SUCCESS) result = tridia_operator_create(s, c, &g, options, op);
  result = told(result, message);
  tridia_closure_destroy(c);
  tridia_scheme_destroy(s);
  return result;
}

/* Computes out = op(in), or out += s op(in) where `s` is not null. */
int tridia_fortran_apply(const tridia_operator* op, const double* s, CFI_cdesc_t* in,
                         CFI_cdesc_t* out, const tridia_execution* e, char* message) {
  tridia_grid g = TRIDIA_GRID_INIT;
  const int64_t *in_extents = NULL, *out_extents = NULL;
  int rank = 0;
  int result = told(tridia_operator_grid(op, &g), message);
  if (result != TRIDIA_SUCCESS) return result;
  tridia_operator_in_extents(op, &in_extents, &rank);
  tridia_operator_out_extents(op, &out_extents, &rank);
  result = check_field(in, "in", g.type, in_extents, rank, g.in_strides, message);
  if (result == TRIDIA_SUCCESS)
    result = check_field(out, "out", g.type, out_extents, rank, g.out_strides, message);
  if (result != TRIDIA_SUCCESS) return result;
  if (s != NULL)
    return told(tridia_operator_apply_add(op, *s, address(in), address(out), e), message);
  return told(tridia_operator_apply(op, address(in), address(out), e), message);
}
