/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Does what module tridia_distributed asks for. A plan and an operator are held with the
 * description of the arrays that they were made for, against which later ones are checked. */
#include <tridia/c/distributed.h>

#include "tridia_descriptors.h"

typedef struct held_plan {
  tridia_distributed_plan* plan;
  description made_for;
} held_plan;

typedef struct held_operator {
  tridia_distributed_operator* op;
  int type, rank;
  field_pair made_for;
} held_operator;

/* `first` counts elements to the first point of the block itself. */
typedef struct held_halo {
  tridia_halo_exchange* exchange;
  int type, rank;
  int64_t extents[TRIDIA_MAX_RANK], strides[TRIDIA_MAX_RANK], first;
} held_halo;

/* Returns memory that is 0, or null with a sentence. */
static void* hold(size_t bytes, char* message) {
  void* const memory = calloc(1, bytes);
  if (memory == NULL) snprintf(message, message_size, "no host memory");
  return memory;
}

/* Makes a plan for arrays of these shapes and strides; of their elements nothing is read. */
int tridia_fortran_distributed_plan_for(
    const tridia_decomposition* cuts, const tridia_communicator* ranks, const tridia_problem* base,
    const tridia_distributed_plan_options* options, CFI_cdesc_t* dl, CFI_cdesc_t* d,
    CFI_cdesc_t* du, CFI_cdesc_t* rhs, CFI_cdesc_t* x, int dim, held_plan** held, char* message) {
  const CFI_cdesc_t* const arrays[array_count] = {dl, d, du, rhs, x};
  held_plan* const made = hold(sizeof *made, message);
  int result = TRIDIA_OUT_OF_MEMORY;
  if (made == NULL) return result;
  made->made_for.problem = *base;
  result = describe(&made->made_for, arrays, dim, message);
  if (result == TRIDIA_SUCCESS && made->made_for.problem.short_off_diagonals)
    result = refuse(message, "dl", "is shorter than d, which lines across ranks do not allow");
  if (result == TRIDIA_SUCCESS)
    result = told(
        tridia_distributed_plan_create(cuts, &made->made_for.problem, ranks, options, &made->plan),
        message);
  if (result == TRIDIA_SUCCESS)
    *held = made;
  else
    free(made);
  return result;
}

static int no_plan(char* message) { return refuse(message, "plan", "was not made"); }

/* Starts the solution of every line; dl, d and du are null for constant coefficients. */
int tridia_fortran_distributed_start(held_plan* held, CFI_cdesc_t* dl, CFI_cdesc_t* d,
                                     CFI_cdesc_t* du, CFI_cdesc_t* rhs, CFI_cdesc_t* x,
                                     const tridia_execution* e, char* message) {
  const CFI_cdesc_t* const arrays[array_count] = {dl, d, du, rhs, x};
  if (held == NULL) return no_plan(message);
  const int result = check_all(&held->made_for.problem, arrays, message);
  if (result != TRIDIA_SUCCESS) return result;
  return told(tridia_distributed_plan_start(held->plan, address(dl), address(d), address(du),
                                            address(rhs), address(x), e),
              message);
}

int tridia_fortran_distributed_finish(held_plan* held, char* message) {
  if (held == NULL) return no_plan(message);
  return told(tridia_distributed_plan_finish(held->plan), message);
}

/* Returns the plan of C; null where there is none. */
tridia_distributed_plan* tridia_fortran_distributed_plan(const held_plan* held) {
  return held == NULL ? NULL : held->plan;
}

int tridia_fortran_distributed_plan_destroy(held_plan* held) {
  const int result = held == NULL ? TRIDIA_SUCCESS : tridia_distributed_plan_destroy(held->plan);
  if (result == TRIDIA_SUCCESS) free(held);
  return result;
}

/* Makes an operator for arrays of these shapes and strides. */
int tridia_fortran_distributed_operator_for(
    const tridia_decomposition* cuts, const tridia_communicator* ranks, const tridia_grid* base,
    const tridia_distributed_operator_options* options, const scheme_choice* choice,
    CFI_cdesc_t* in, CFI_cdesc_t* out, int dim, held_operator** held, char* message) {
  tridia_grid g = *base;
  tridia_scheme* s = NULL;
  tridia_closure* c = NULL;
  held_operator* const made = hold(sizeof *made, message);
  int result = TRIDIA_OUT_OF_MEMORY;
  if (made == NULL) return result;
  result = describe_fields(&made->made_for, &g, in, out, dim, message);
  if (result == TRIDIA_SUCCESS) {
    result = find_choice(choice, &s, &c);
    if (result == TRIDIA_SUCCESS)
      result = tridia_distributed_operator_create(cuts, s, c, &g, ranks, options, &made->op);
    result = told(result, message);
  }
  made->type = g.type;
  made->rank = g.rank;
  tridia_closure_destroy(c);
  tridia_scheme_destroy(s);
  if (result == TRIDIA_SUCCESS)
    *held = made;
  else
    free(made);
  return result;
}

/* Starts out = op(in), or out += s op(in) where `s` is not null. */
int tridia_fortran_distributed_apply_start(held_operator* held, const double* s, CFI_cdesc_t* in,
                                           CFI_cdesc_t* out, char* message) {
  if (held == NULL) return refuse(message, "op", "was not made");
  const field_pair* const f = &held->made_for;
  int result = check_field(in, "in", held->type, f->in_extents, held->rank, f->in_strides, message);
  if (result == TRIDIA_SUCCESS)
    result =
        check_field(out, "out", held->type, f->out_extents, held->rank, f->out_strides, message);
  if (result != TRIDIA_SUCCESS) return result;
  if (s != NULL)
    return told(
        tridia_distributed_operator_start_add(held->op, *s, address(in), address(out), NULL),
        message);
  return told(tridia_distributed_operator_start(held->op, address(in), address(out), NULL),
              message);
}

int tridia_fortran_distributed_apply_finish(held_operator* held, char* message) {
  if (held == NULL) return refuse(message, "op", "was not made");
  return told(tridia_distributed_operator_finish(held->op), message);
}

int tridia_fortran_distributed_operator_destroy(held_operator* held) {
  const int result = held == NULL ? TRIDIA_SUCCESS : tridia_distributed_operator_destroy(held->op);
  if (result == TRIDIA_SUCCESS) free(held);
  return result;
}

/* Makes an exchange of the layers around this rank's block in an array that has room for them. */
int tridia_fortran_halo_for(const tridia_decomposition* cuts, const tridia_communicator* ranks,
                            CFI_cdesc_t* field, const int* before, const int* after,
                            const int* periodic, int count, held_halo** held, char* message) {
  tridia_halo h = TRIDIA_HALO_INIT;
  int64_t begin[TRIDIA_MAX_RANK], block[TRIDIA_MAX_RANK];
  int axes = 0, size = 0, rank = 0;
  held_halo* const made = hold(sizeof *made, message);
  int result = TRIDIA_OUT_OF_MEMORY;
  if (made == NULL) return result;
  result = check_array(field, "field", type_of(field), message);
  if (result == TRIDIA_SUCCESS)
    result = told(tridia_decomposition_shape(cuts, &axes, &size), message);
  if (result == TRIDIA_SUCCESS) result = told(tridia_communicator_rank(ranks, &rank), message);
  if (result == TRIDIA_SUCCESS && (field->rank != axes || count != axes))
    result = refuse(message, "field", "has another rank than the decomposition, or before");
  if (result == TRIDIA_SUCCESS)
    result = told(tridia_decomposition_block(cuts, rank, begin, block), message);
  if (result == TRIDIA_SUCCESS) copy_shape(field, made->extents, made->strides);
  for (int k = 0; k < axes && result == TRIDIA_SUCCESS; ++k) {
    if (made->extents[k] != block[k] + before[k] + after[k])
      result = refuse(message, "field", "has not the shape of this rank's block and its halo");
    made->first += before[k] * made->strides[k];
  }
  h.type = made->type = type_of(field);
  h.rank = made->rank = axes;
  h.strides = made->strides;
  h.before = before;
  h.after = after;
  h.periodic = periodic;
  if (result == TRIDIA_SUCCESS)
    result = told(tridia_halo_exchange_create(cuts, &h, ranks, &made->exchange), message);
  if (result == TRIDIA_SUCCESS)
    *held = made;
  else
    free(made);
  return result;
}

int tridia_fortran_halo_start(held_halo* held, CFI_cdesc_t* field, char* message) {
  if (held == NULL) return refuse(message, "exchange", "was not made");
  const int result =
      check_field(field, "field", held->type, held->extents, held->rank, held->strides, message);
  if (result != TRIDIA_SUCCESS) return result;
  char* const own = (char*)address(field) + (ptrdiff_t)held->first * (ptrdiff_t)field->elem_len;
  return told(tridia_halo_exchange_start(held->exchange, own, NULL), message);
}

int tridia_fortran_halo_finish(held_halo* held, char* message) {
  if (held == NULL) return refuse(message, "exchange", "was not made");
  return told(tridia_halo_exchange_finish(held->exchange), message);
}

int tridia_fortran_halo_destroy(held_halo* held) {
  const int result = held == NULL ? TRIDIA_SUCCESS : tridia_halo_exchange_destroy(held->exchange);
  if (result == TRIDIA_SUCCESS) free(held);
  return result;
}
