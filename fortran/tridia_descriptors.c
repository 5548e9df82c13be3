/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Does what module tridia asks for, with arrays that it describes by their descriptors. */
#include "tridia_descriptors.h"
#include "tridia_field_lists.h"

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

/* Describes a term of a differential operator, as module tridia_c does; `dim` is for arrays. */
typedef struct term_choice {
  scheme_choice scheme;
  tridia_grid grid;
  double factor;
  int dim;
} term_choice;

static int check_kind(int kind, int count, char* message) {
  if (kind != TRIDIA_GRADIENT && kind != TRIDIA_DIVERGENCE && kind != TRIDIA_LAPLACIAN)
    return refuse(message, "kind", "is none of its values");
  if (count < 1 || count > most_terms) return refuse(message, "terms", "has not 1 to 16 entries");
  return TRIDIA_SUCCESS;
}

/* Makes an operator of terms that say all about their arrays. */
int tridia_fortran_differential_create(int kind, const term_choice* terms, int count,
                                       const tridia_options* options,
                                       tridia_differential_operator** op, char* message) {
  tridia_differential_term t[most_terms];
  tridia_scheme* s[most_terms] = {NULL};
  tridia_closure* c[most_terms] = {NULL};
  int result = check_kind(kind, count, message);
  if (result != TRIDIA_SUCCESS) return result;
  for (int k = 0; k < count && result == TRIDIA_SUCCESS; ++k) {
    const tridia_differential_term plain = TRIDIA_DIFFERENTIAL_TERM_INIT;
    result = find_choice(&terms[k].scheme, &s[k], &c[k]);
    t[k] = plain;
    t[k].scheme = s[k];
    t[k].closure = c[k];
    t[k].grid = &terms[k].grid;
    t[k].factor = terms[k].factor;
  }
  if (result == TRIDIA_SUCCESS)
    result = tridia_differential_operator_create(kind, t, count, options, op);
  result = told(result, message);
  for (int k = 0; k < count; ++k) {
    tridia_closure_destroy(c[k]);
    tridia_scheme_destroy(s[k]);
  }
  return result;
}

/* Sets type, shape and strides of a term to those of its arrays. */
static int describe_term(term_choice* t, const field_list* in, const field_list* out, int k,
                         char* message) {
  const int i = in->count > 1 ? k : 0, o = out->count > 1 ? k : 0;
  const field_layout *const from = &in->layouts[i], *const to = &out->layouts[o];
  const char* const name = in->count > 1 ? in->names[i] : out->names[o];
  if (from->type != to->type)
    return refuse(message, name, "has another type than the other arrays");
  if (from->rank != to->rank)
    return refuse(message, name, "has another rank than the other arrays");
  if (t->dim < 1 || t->dim > from->rank) {
    snprintf(message, message_size, "dim: of term %d is not from 1 to the rank of in", k + 1);
    return TRIDIA_INVALID_ARGUMENT;
  }
  for (int axis = 0; axis < from->rank; ++axis)
    if (axis != from->rank - t->dim && from->extents[axis] != to->extents[axis])
      return refuse(message, name, "has another shape than the other arrays");
  t->grid.type = from->type;
  t->grid.rank = from->rank;
  t->grid.axis = from->rank - t->dim;
  t->grid.extents = t->grid.operation == TRIDIA_OPERATION_NONE ? from->extents : to->extents;
  t->grid.in_strides = from->strides;
  t->grid.out_strides = to->strides;
  return TRIDIA_SUCCESS;
}

/* Refuses arrays that have not the shapes that the terms of an operator read and write. */
static int check_shapes(const tridia_differential_operator* op, const field_list* in,
                        const field_list* out, char* message) {
  const int64_t* extents = NULL;
  int rank = 0, result = TRIDIA_SUCCESS;
  for (int k = 0; k < in->count && result == TRIDIA_SUCCESS; ++k) {
    tridia_differential_operator_in_extents(op, k, &extents, &rank);
    result = check_shape(in, k, extents, rank, message);
  }
  for (int k = 0; k < out->count && result == TRIDIA_SUCCESS; ++k) {
    tridia_differential_operator_out_extents(op, k, &extents, &rank);
    result = check_shape(out, k, extents, rank, message);
  }
  return result;
}

/* Makes an operator for arrays of these shapes and strides, and sets `made_for` to the layouts of
 * `count` arrays that are read, and then of as many that are written. */
int tridia_fortran_differential_for(
    int kind, term_choice* terms, int count, const tridia_options* options, CFI_cdesc_t* in,
    CFI_cdesc_t* in2, CFI_cdesc_t* in3, CFI_cdesc_t* in4, CFI_cdesc_t* in5, CFI_cdesc_t* in6,
    CFI_cdesc_t* out, CFI_cdesc_t* out2, CFI_cdesc_t* out3, CFI_cdesc_t* out4, CFI_cdesc_t* out5,
    CFI_cdesc_t* out6, tridia_differential_operator** op, field_layout* made_for, char* message) {
  const CFI_cdesc_t* const reads[most_separate] = {in, in2, in3, in4, in5, in6};
  const CFI_cdesc_t* const writes[most_separate] = {out, out2, out3, out4, out5, out6};
  field_list from, to;
  tridia_differential_operator* made = NULL;
  int result = check_kind(kind, count, message);
  if (result == TRIDIA_SUCCESS) result = list_both(&from, &to, kind, count, reads, writes, message);
  for (int k = 0; k < count && result == TRIDIA_SUCCESS; ++k)
    result = describe_term(&terms[k], &from, &to, k, message);
  if (result == TRIDIA_SUCCESS)
    result = tridia_fortran_differential_create(kind, terms, count, options, &made, message);
  if (result != TRIDIA_SUCCESS) return result;
  result = check_shapes(made, &from, &to, message);
  if (result != TRIDIA_SUCCESS) {
    tridia_differential_operator_destroy(made);
    return result;
  }
  *op = made;
  memcpy(made_for, from.layouts, (size_t)from.count * sizeof *made_for);
  memcpy(made_for + count, to.layouts, (size_t)to.count * sizeof *made_for);
  return TRIDIA_SUCCESS;
}

/* Computes the results, or adds `s` times them where `s` is not null, on arrays that lie as
 * `made_for` says, which has `count` arrays of each side. */
int tridia_fortran_differential_apply(const tridia_differential_operator* op, const double* s,
                                      CFI_cdesc_t* in, CFI_cdesc_t* in2, CFI_cdesc_t* in3,
                                      CFI_cdesc_t* in4, CFI_cdesc_t* in5, CFI_cdesc_t* in6,
                                      CFI_cdesc_t* out, CFI_cdesc_t* out2, CFI_cdesc_t* out3,
                                      CFI_cdesc_t* out4, CFI_cdesc_t* out5, CFI_cdesc_t* out6,
                                      const tridia_execution* e, const field_layout* made_for,
                                      int count, char* message) {
  const CFI_cdesc_t* const reads[most_separate] = {in, in2, in3, in4, in5, in6};
  const CFI_cdesc_t* const writes[most_separate] = {out, out2, out3, out4, out5, out6};
  field_list from, to;
  int kind = 0;
  int result = told(tridia_differential_operator_kind(op, &kind), message);
  if (result == TRIDIA_SUCCESS) result = list_both(&from, &to, kind, count, reads, writes, message);
  if (result == TRIDIA_SUCCESS) result = check_lists(&from, made_for, message);
  if (result == TRIDIA_SUCCESS) result = check_lists(&to, made_for + count, message);
  if (result != TRIDIA_SUCCESS) return result;
  const void* const* const read_at = (const void* const*)from.at;
  if (s != NULL)
    return told(tridia_differential_operator_apply_add(op, *s, read_at, to.at, e), message);
  return told(tridia_differential_operator_apply(op, read_at, to.at, e), message);
}
