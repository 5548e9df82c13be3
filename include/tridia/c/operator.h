/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_OPERATOR_H
#define TRIDIA_C_OPERATOR_H

#include "tridia/c/plan.h"
#include "tridia/c/scheme.h"
#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Describes the arrays that an operator reads and writes, as `tridia::grid` does. Begin with
 * TRIDIA_GRID_INIT; what a pointer leads to is copied. */
typedef struct tridia_grid {
  size_t struct_size;
  int type;
  int rank;               /* From 1 to TRIDIA_MAX_RANK. */
  const int64_t* extents; /* The shape of the array that is read: `rank` entries. */
  int axis;
  int boundary;
  double spacing;       /* The distance of neighbouring points; not 0. */
  int head, tail;       /* The conditions at both ends of a line: tridia_end_condition. */
  const double* metric; /* dx/dxi at each result of a line of a stretched grid, or null. */
  int64_t metric_count;
  int64_t fields; /* The number of fields per call. */
  int operation;  /* TRIDIA_OPERATION_TRANSPOSE makes the adjoint. */
  int reserved;   /* 0 */
  /* Strides count elements, `rank` entries each; null means dense in C order. */
  const int64_t* in_strides;
  const int64_t* out_strides;
  int64_t in_step, out_step; /* From one field to the next; 0: one dense array after another. */
} tridia_grid;

#define TRIDIA_GRID_INIT                                                              \
  {                                                                                   \
    sizeof(tridia_grid), TRIDIA_F64, 0, 0, -1, TRIDIA_REGULAR, 1, TRIDIA_END_CLOSURE, \
        TRIDIA_END_CLOSURE, 0, 0, 1, TRIDIA_OPERATION_NONE, 0, 0, 0, 0, 0             \
  }

/* An operator applies a compact scheme along one axis of a grid, many times. It is immutable: any
 * number of threads may apply one operator at the same time, each with a workspace of its own. */
typedef struct tridia_operator tridia_operator;

/* Makes an operator; `closure` may be null (the default one of the scheme), `options` too. */
TRIDIA_API tridia_result tridia_operator_create(const tridia_scheme* scheme,
                                                const tridia_closure* closure,
                                                const tridia_grid* grid,
                                                const tridia_options* options,
                                                tridia_operator** op);
TRIDIA_API tridia_result tridia_operator_destroy(tridia_operator* op);

/* Computes out = op(in). `out` may be the very same array as `in`; any other overlap is refused.
 * `e` has a workspace of tridia_operator_workspace_bytes; its status is not used. Where `e` is
 * null, an operator on a CPU allocates a workspace for the call. */
TRIDIA_API tridia_result tridia_operator_apply(const tridia_operator* op, const void* in, void* out,
                                               const tridia_execution* e);
/* Computes out += s op(in). */
TRIDIA_API tridia_result tridia_operator_apply_add(const tridia_operator* op, double s,
                                                   const void* in, void* out,
                                                   const tridia_execution* e);

/* Sets `grid`, whose struct_size says how large it is, to the grid as it was given; what it points
 * to lives as long as the operator. */
TRIDIA_API tridia_result tridia_operator_grid(const tridia_operator* op, tridia_grid* grid);
/* Set `extents` to the `rank` extents of the array that is read, or written; they live as long as
 * the operator. */
TRIDIA_API tridia_result tridia_operator_in_extents(const tridia_operator* op,
                                                    const int64_t** extents, int* rank);
TRIDIA_API tridia_result tridia_operator_out_extents(const tridia_operator* op,
                                                     const int64_t** extents, int* rank);
TRIDIA_API tridia_result tridia_operator_backend(const tridia_operator* op, int* backend);
/* Sets `device` to the GPU of a CUDA operator; -1 otherwise. */
TRIDIA_API tridia_result tridia_operator_device(const tridia_operator* op, int* device);
/* Sets `threads` to the threads of a CPU operator; 1 otherwise. */
TRIDIA_API tridia_result tridia_operator_threads(const tridia_operator* op, int* threads);
TRIDIA_API tridia_result tridia_operator_workspace_bytes(const tridia_operator* op, size_t* bytes);
/* Sets `warning` to the closure's warning, or "". */
TRIDIA_API tridia_result tridia_operator_warning(const tridia_operator* op, const char** warning);
/* Sets `description` to a sentence that says what an application computes. */
TRIDIA_API tridia_result tridia_operator_description(const tridia_operator* op,
                                                     const char** description);

#ifdef __cplusplus
}
#endif

#endif
