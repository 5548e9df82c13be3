/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Lists the arrays of a differential operator, which may be given one by one, or as one array whose
 * last axis is that of the terms. */
#ifndef TRIDIA_FIELD_LISTS_H
#define TRIDIA_FIELD_LISTS_H
#include "tridia_descriptors.h"

/* Limits the terms, as `most_terms` of C++ does, and the arrays that are given one by one. */
enum { most_terms = 16, most_separate = 6 };
static const char* const in_names[most_separate] = {"in", "in2", "in3", "in4", "in5", "in6"};
static const char* const out_names[most_separate] = {"out", "out2", "out3", "out4", "out5", "out6"};

/* Says where an array lies, by C's axes. Module tridia has the same type, and keeps the layouts
 * that an operator was made for. */
typedef struct field_layout {
  int type, rank;
  int64_t extents[TRIDIA_MAX_RANK], strides[TRIDIA_MAX_RANK];
} field_layout;

/* Holds the arrays that an operator reads, or those that it writes. */
typedef struct field_list {
  int count;
  const char* names[most_terms];
  field_layout layouts[most_terms];
  void* at[most_terms];
} field_list;

/* Adds the first `rank` axes of an array, at index `k` of the next one if there is one. */
static inline void add_field(field_list* list, const char* name, const CFI_cdesc_t* a, int rank,
                             int k) {
  field_layout* const f = &list->layouts[list->count];
  char* const base = a->base_addr;
  f->type = type_of(a);
  f->rank = rank;
  for (int axis = 0; axis < rank; ++axis) {
    f->extents[axis] = extent_of(a, rank, axis);
    f->strides[axis] = stride_of(a, rank, axis);
  }
  list->names[list->count] = name;
  list->at[list->count++] = base == NULL || k == 0 ? base : base + k * a->dim[rank].sm;
}

/* Lists `needed` arrays: these, or one whose axis beyond the first `rank` ones is that of the
 * terms; a negative `rank` allows no such array. */
static inline int list_fields(field_list* list, const CFI_cdesc_t* const given[most_separate],
                              const char* const* names, int needed, int rank, char* message) {
  int count = 0;
  list->count = 0;
  for (int k = 0; k < most_separate; ++k) {
    if (given[k] == NULL) continue;
    if (k >= needed) return refuse(message, names[k], "the operator has fewer arrays");
    const int result = check_array(given[k], names[k], type_of(given[k]), message);
    if (result != TRIDIA_SUCCESS) return result;
    ++count;
  }
  if (count == 1 && rank > 0 && given[0]->rank == rank + 1) {
    if ((int64_t)given[0]->dim[rank].extent != needed)
      return refuse(message, names[0], "the extent of its last axis is not the number of terms");
    for (int k = 0; k < needed; ++k) add_field(list, names[0], given[0], rank, k);
    return TRIDIA_SUCCESS;
  }
  if (needed > most_separate)
    return refuse(message, names[0], "so many terms need one array whose last axis is theirs");
  for (int k = 0; k < needed; ++k) {
    if (given[k] == NULL)
      return refuse(message, names[k], "is absent, but the operator has an array for each term");
    add_field(list, names[k], given[k], given[k]->rank, 0);
  }
  return TRIDIA_SUCCESS;
}

/* Lists the arrays of both sides of an operator of `terms` terms. A gradient writes an array for
 * each term, a divergence reads one for each. */
static inline int list_both(field_list* in, field_list* out, int kind, int terms,
                            const CFI_cdesc_t* const reads[most_separate],
                            const CFI_cdesc_t* const writes[most_separate], char* message) {
  const int result = list_fields(in, reads, in_names, kind == TRIDIA_DIVERGENCE ? terms : 1,
                                 kind == TRIDIA_DIVERGENCE ? writes[0]->rank : -1, message);
  if (result != TRIDIA_SUCCESS) return result;
  return list_fields(out, writes, out_names, kind == TRIDIA_GRADIENT ? terms : 1,
                     kind == TRIDIA_GRADIENT ? reads[0]->rank : -1, message);
}

/* Refuses arrays of another shape than `extents` of a rank. */
static inline int check_shape(const field_list* list, int k, const int64_t* extents, int rank,
                              char* message) {
  const field_layout* const f = &list->layouts[k];
  for (int axis = 0; axis < rank; ++axis)
    if (f->rank != rank || f->extents[axis] != extents[axis])
      return refuse(message, list->names[k], "has not the shape that the terms read and write");
  return TRIDIA_SUCCESS;
}

/* Refuses arrays of other types, shapes or strides than these layouts. */
static inline int check_lists(const field_list* list, const field_layout* made_for, char* message) {
  for (int k = 0; k < list->count; ++k) {
    const field_layout* const f = &list->layouts[k];
    if (f->type != made_for[k].type)
      return refuse(message, list->names[k], "has not the type that op was made for");
    if (f->rank != made_for[k].rank)
      return refuse(message, list->names[k], "has not the rank that op was made for");
    for (int axis = 0; axis < f->rank; ++axis) {
      if (f->extents[axis] != made_for[k].extents[axis])
        return refuse(message, list->names[k], "has not the shape that op was made for");
      if (f->extents[axis] > 1 && f->strides[axis] != made_for[k].strides[axis])
        return refuse(message, list->names[k], "has not the strides that op was made for");
    }
  }
  return TRIDIA_SUCCESS;
}

#endif
