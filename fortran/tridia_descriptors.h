/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Reads the descriptors of Fortran's arrays for module tridia: shapes and strides, so that a
 * section is solved where it lies. Descriptors differ between compilers: what includes this file is
 * compiled by the C compiler that goes with the Fortran compiler. Axes are turned round, as C has
 * the last one contiguous. */
#ifndef TRIDIA_DESCRIPTORS_H
#define TRIDIA_DESCRIPTORS_H
#include <ISO_Fortran_binding.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tridia.h>

enum { message_size = 1024, array_count = 5 };
static const char* const names[array_count] = {"dl", "d", "du", "rhs", "x"};

/* Holds a problem with what it points to. */
typedef struct description {
  tridia_problem problem;
  int64_t extents[TRIDIA_MAX_RANK];
  int64_t strides[array_count][TRIDIA_MAX_RANK];
} description;

static inline int refuse(char* message, const char* name, const char* why) {
  snprintf(message, message_size, "%s: %s", name, why);
  return TRIDIA_INVALID_ARGUMENT;
}

/* Returns a result, with its sentence. */
static inline int told(int result, char* message) {
  if (result != TRIDIA_SUCCESS) snprintf(message, message_size, "%s", tridia_last_error());
  return result;
}

static inline int type_of(const CFI_cdesc_t* a) {
  return a->type == CFI_type_float            ? TRIDIA_F32
         : a->type == CFI_type_double         ? TRIDIA_F64
         : a->type == CFI_type_float_Complex  ? TRIDIA_C64
         : a->type == CFI_type_double_Complex ? TRIDIA_C128
                                              : -1;
}

/* Returns the extent of axis `k` of C, that is axis `rank - k` of Fortran, and its stride in
 * elements; `rank` may leave out last axes of the array. */
static inline int64_t extent_of(const CFI_cdesc_t* a, int rank, int k) {
  return (int64_t)a->dim[rank - 1 - k].extent;
}
static inline int64_t stride_of(const CFI_cdesc_t* a, int rank, int k) {
  return (int64_t)a->dim[rank - 1 - k].sm / (int64_t)a->elem_len;
}

static inline int check_array(const CFI_cdesc_t* a, const char* name, int type, char* message) {
  if (type_of(a) < 0) return refuse(message, name, "is neither real nor complex of 4 or 8 bytes");
  if (type_of(a) != type) return refuse(message, name, "has another type than the other arrays");
  if (a->rank < 1) return refuse(message, name, "is a scalar");
  for (int k = 0; k < a->rank; ++k) {
    if (a->dim[k].extent < 0)
      return refuse(message, name, "has assumed size, without a last extent");
    if (a->dim[k].sm % (CFI_index_t)a->elem_len != 0)
      return refuse(message, name, "has a stride that is not a multiple of its elements");
  }
  return TRIDIA_SUCCESS;
}

/* Sets the strides of a coefficient over the axes of x: 0 where it has an extent of 1, or none. */
static inline int describe_coefficient(description* s, int which, const CFI_cdesc_t* a, int axis,
                                       int64_t rows, char* message) {
  const int rank = s->problem.rank;
  int64_t* const strides = s->strides[which];
  memset(strides, 0, sizeof s->strides[which]);
  if (a->rank == 1) {
    if (extent_of(a, 1, 0) != rows)
      return refuse(message, names[which], "is of rank 1, but its length is not that of the lines");
    strides[axis] = stride_of(a, 1, 0);
    return TRIDIA_SUCCESS;
  }
  if (a->rank != rank) return refuse(message, names[which], "has another rank than the field");
  for (int k = 0; k < rank; ++k) {
    const int64_t wanted = k == axis ? rows : s->extents[k];
    if (extent_of(a, rank, k) == wanted)
      strides[k] = stride_of(a, rank, k);
    else if (k == axis || extent_of(a, rank, k) != 1)
      return refuse(message, names[which], "its shape does not fit that of x");
  }
  return TRIDIA_SUCCESS;
}

/* Sets the strides of a right-hand side or a solution. */
static inline int describe_side(description* s, int which, const CFI_cdesc_t* a, int sides,
                                int64_t* step, char* message) {
  const int rank = s->problem.rank;
  if (a->rank != rank + sides) return refuse(message, names[which], "has another rank than x");
  for (int k = 0; k < rank; ++k) {
    if (extent_of(a, rank, k) != s->extents[k])
      return refuse(message, names[which], "has another shape than x");
    s->strides[which][k] = stride_of(a, rank, k);
  }
  if (sides != 0 && (int64_t)a->dim[rank].extent != s->problem.right_hand_sides)
    return refuse(message, names[which], "has another number of right-hand sides than x");
  if (sides != 0) *step = (int64_t)a->dim[rank].sm / (int64_t)a->elem_len;
  return TRIDIA_SUCCESS;
}

static inline int64_t rows_along(const CFI_cdesc_t* a, int rank, int axis) {
  return a->rank == 1 ? extent_of(a, 1, 0) : a->rank == rank ? extent_of(a, rank, axis) : -1;
}

/* Describes the problem of these arrays, with all else as in `s->problem`; dl is null where the
 * coefficients are constant. The last axis of x holds right-hand sides where d, of rank 2 or more,
 * has one axis less. */
static inline int describe(description* s, const CFI_cdesc_t* const a[array_count], int dim,
                           char* message) {
  const CFI_cdesc_t* const x = a[4];
  tridia_problem* const p = &s->problem;
  const int sides = a[1] != NULL && a[1]->rank > 1 && a[1]->rank + 1 == x->rank;
  const int rank = x->rank - sides, axis = rank - dim;
  int result = TRIDIA_SUCCESS;
  for (int k = 0; k < array_count && result == TRIDIA_SUCCESS; ++k)
    if (a[k] != NULL) result = check_array(a[k], names[k], type_of(x), message);
  if (result != TRIDIA_SUCCESS) return result;
  if (dim < 1 || dim > rank)
    return refuse(message, "dim", "is not from 1 to the rank of the field");
  p->type = type_of(x);
  p->rank = rank;
  p->axis = axis;
  p->right_hand_sides = sides ? (int64_t)x->dim[rank].extent : 1;
  for (int k = 0; k < rank; ++k) s->extents[k] = extent_of(x, rank, k);
  if (a[0] != NULL && p->offset_count == 0) {
    const int64_t n = s->extents[axis];
    p->short_off_diagonals =
        n > 0 && rows_along(a[0], rank, axis) == n - 1 && rows_along(a[2], rank, axis) == n - 1;
  }
  for (int k = 0; k < 3 && result == TRIDIA_SUCCESS && a[0] != NULL; ++k) {
    const int64_t rows = s->extents[axis] - (k != 1 && p->short_off_diagonals ? 1 : 0);
    result = describe_coefficient(s, k, a[k], axis, rows, message);
  }
  if (result == TRIDIA_SUCCESS) result = describe_side(s, 3, a[3], sides, &p->rhs_step, message);
  if (result == TRIDIA_SUCCESS) result = describe_side(s, 4, x, sides, &p->x_step, message);
  p->extents = s->extents;
  if (a[0] != NULL) {
    p->dl_strides = s->strides[0];
    p->d_strides = s->strides[1];
    p->du_strides = s->strides[2];
  }
  p->rhs_strides = s->strides[3];
  p->x_strides = s->strides[4];
  return result;
}

/* Returns the address of the first element, which an empty array need not have. */
static inline void* address(const CFI_cdesc_t* a) { return a == NULL ? NULL : a->base_addr; }

/* Sets `to` to the strides of an array of a problem, which are those of a dense one if not given.
 */
static inline void strides_of(const tridia_problem* p, int which, int64_t* to) {
  const int64_t* const given[array_count] = {p->dl_strides, p->d_strides, p->du_strides,
                                             p->rhs_strides, p->x_strides};
  const int axis = p->axis < 0 ? p->axis + p->rank : p->axis;
  int64_t step = 1;
  for (int k = p->rank - 1; k >= 0; --k) {
    const int one_matrix = which < 3 && p->coefficients == TRIDIA_SHARED;
    const int less = k == axis && p->short_off_diagonals && (which == 0 || which == 2);
    to[k] = given[which] != NULL ? given[which][k] : one_matrix ? (k == axis) : step;
    step *= p->extents[k] - less;
  }
}

/* Refuses an array that does not lie as the plan's problem says. */
static inline int check_layout(const tridia_problem* p, int which, const CFI_cdesc_t* a,
                               char* message) {
  int64_t strides[TRIDIA_MAX_RANK];
  const int axis = p->axis < 0 ? p->axis + p->rank : p->axis;
  const int sides = which > 2 && a->rank == p->rank + 1;
  const int64_t step = which == 3 ? p->rhs_step : p->x_step;
  const int result = check_array(a, names[which], p->type, message);
  int64_t points = 1;
  if (result != TRIDIA_SUCCESS) return result;
  strides_of(p, which, strides);
  if (!sides && which > 2 && (a->rank != p->rank || p->right_hand_sides != 1))
    return refuse(message, names[which], "has not the rank that the plan was made for");
  for (int k = 0; k < p->rank; ++k) {
    const int less = k == axis && p->short_off_diagonals && (which == 0 || which == 2);
    const int64_t wanted = p->extents[k] - less;
    const int vector = which < 3 && a->rank == 1 && p->rank > 1;
    const int64_t has = !vector ? extent_of(a, p->rank, k) : k == axis ? extent_of(a, 1, 0) : 1;
    const int64_t stride = !vector ? stride_of(a, p->rank, k) : k == axis ? stride_of(a, 1, 0) : 0;
    points *= wanted;
    if (has != wanted && !(has == 1 && strides[k] == 0))
      return refuse(message, names[which], "has not the shape that the plan was made for");
    if (has > 1 && stride != strides[k])
      return refuse(message, names[which], "has not the strides that the plan was made for");
  }
  if (sides && (int64_t)a->dim[p->rank].extent != p->right_hand_sides)
    return refuse(message, names[which], "has not the right-hand sides that the plan was made for");
  if (sides && p->right_hand_sides > 1 &&
      (int64_t)a->dim[p->rank].sm / (int64_t)a->elem_len != (step != 0 ? step : points))
    return refuse(message, names[which], "has not the strides that the plan was made for");
  return TRIDIA_SUCCESS;
}

/* Checks all arrays that are not null. */
static inline int check_all(const tridia_problem* p, const CFI_cdesc_t* const a[array_count],
                            char* message) {
  int result = TRIDIA_SUCCESS;
  for (int k = 0; k < array_count && result == TRIDIA_SUCCESS; ++k) {
    if (a[k] == NULL) continue;
    if (a[k]->rank < 1) return refuse(message, names[k], "is a scalar");
    if (a[k]->rank != p->rank && !(k < 3 ? a[k]->rank == 1 : a[k]->rank == p->rank + 1))
      return refuse(message, names[k], "has not the rank that the plan was made for");
    result = check_layout(p, k, a[k], message);
  }
  return result;
}

/* Says which scheme an operator is made of; a null closure is the default one. */
typedef struct scheme_choice {
  int quantity, staggering;
  double alpha_f;
  const char* scheme;
  const char* closure;
} scheme_choice;

/* Copies the shape of an array as C has it; the strides as well, unless `strides` is null. */
static inline void copy_shape(const CFI_cdesc_t* a, int64_t* extents, int64_t* strides) {
  for (int k = 0; k < a->rank; ++k) {
    if (extents != NULL) extents[k] = extent_of(a, a->rank, k);
    if (strides != NULL) strides[k] = stride_of(a, a->rank, k);
  }
}

/* Holds where the two arrays of an operator lie. */
typedef struct field_pair {
  int64_t in_extents[TRIDIA_MAX_RANK], in_strides[TRIDIA_MAX_RANK];
  int64_t out_extents[TRIDIA_MAX_RANK], out_strides[TRIDIA_MAX_RANK];
} field_pair;

/* Sets the type, the shape and the strides of a grid to those of these arrays. */
static inline int describe_fields(field_pair* f, tridia_grid* g, const CFI_cdesc_t* in,
                                  const CFI_cdesc_t* out, int dim, char* message) {
  int result = check_array(out, "out", type_of(out), message);
  if (result == TRIDIA_SUCCESS) result = check_array(in, "in", type_of(out), message);
  if (result != TRIDIA_SUCCESS) return result;
  if (in->rank != out->rank) return refuse(message, "out", "has another rank than in");
  if (dim < 1 || dim > in->rank) return refuse(message, "dim", "is not from 1 to the rank of in");
  copy_shape(in, f->in_extents, f->in_strides);
  copy_shape(out, f->out_extents, f->out_strides);
  g->type = type_of(in);
  g->rank = in->rank;
  g->axis = in->rank - dim;
  /* A grid describes the points, which an adjoint writes. */
  g->extents = g->operation == TRIDIA_OPERATION_NONE ? f->in_extents : f->out_extents;
  g->in_strides = f->in_strides;
  g->out_strides = f->out_strides;
  return TRIDIA_SUCCESS;
}

/* Finds a scheme and a closure; null stands for the default one. */
static inline int find_choice(const scheme_choice* choice, tridia_scheme** s, tridia_closure** c) {
  const int result =
      tridia_scheme_find(choice->quantity, choice->scheme, choice->staggering, choice->alpha_f, s);
  if (result != TRIDIA_SUCCESS || choice->closure == NULL) return result;
  return tridia_closure_find(*s, choice->closure, c);
}

/* Refuses an array of another type, shape or strides than the operator's. */
static inline int check_field(const CFI_cdesc_t* a, const char* name, int type,
                              const int64_t* extents, int rank, const int64_t* strides,
                              char* message) {
  const int result = check_array(a, name, type, message);
  if (result != TRIDIA_SUCCESS) return result;
  if (a->rank != rank) return refuse(message, name, "has not the rank that op was made for");
  for (int k = 0; k < rank; ++k) {
    if (extent_of(a, rank, k) != extents[k])
      return refuse(message, name, "has not the shape that op was made for");
    if (extents[k] > 1 && stride_of(a, rank, k) != strides[k])
      return refuse(message, name, "has not the strides that op was made for");
  }
  return TRIDIA_SUCCESS;
}

#endif
