/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_DIFFERENTIAL_H
#define TRIDIA_C_DIFFERENTIAL_H

#include "tridia/c/operator.h"
#include "tridia/c/scheme.h"
#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Says what a differential operator makes of its terms a_k D_k, as `tridia::differential` does. */
enum tridia_differential {
  TRIDIA_GRADIENT,   /* One field, a result for each term: out_k = a_k D_k f. */
  TRIDIA_DIVERGENCE, /* A field for each term, one result: out = a_0 D_0 f_0 + a_1 D_1 f_1 + ... */
  TRIDIA_LAPLACIAN   /* One field, one result: out = a_0 D_0 f + a_1 D_1 f + ... */
};

/* Describes a term: `factor` times the operator of a scheme on a grid. Begin with
 * TRIDIA_DIFFERENTIAL_TERM_INIT; what pointers lead to is copied. Terms that share an array
 * describe it alike. */
typedef struct tridia_differential_term {
  size_t struct_size;
  const tridia_scheme* scheme;
  const tridia_closure* closure; /* Null: the default one of the scheme. */
  const tridia_grid* grid;
  double factor;
} tridia_differential_term;

#define TRIDIA_DIFFERENTIAL_TERM_INIT \
  { sizeof(tridia_differential_term), 0, 0, 0, 1 }

/* A differential operator applies schemes along several axes in one call: a gradient, a divergence,
 * a Laplacian, or another weighted sum. It is immutable: any number of threads may apply one at the
 * same time, each with a workspace of its own. */
typedef struct tridia_differential_operator tridia_differential_operator;

/* Makes an operator of `term_count` terms; `kind` is a tridia_differential, `options` may be null.
 */
TRIDIA_API tridia_result tridia_differential_operator_create(int kind,
                                                             const tridia_differential_term* terms,
                                                             int term_count,
                                                             const tridia_options* options,
                                                             tridia_differential_operator** op);
TRIDIA_API tridia_result tridia_differential_operator_destroy(tridia_differential_operator* op);

/* Computes the results. `in` has as many arrays as tridia_differential_operator_in_count says,
 * `out` as many as tridia_differential_operator_out_count, in the order of the terms. Results must
 * overlap neither a field nor each other, except where there is one term alone. `e` has a workspace
 * of tridia_differential_operator_workspace_bytes; its status is not used. Where `e` is null, an
 * operator on a CPU allocates a workspace for the call. */
TRIDIA_API tridia_result tridia_differential_operator_apply(const tridia_differential_operator* op,
                                                            const void* const* in, void* const* out,
                                                            const tridia_execution* e);
/* Adds s times the results to `out`. */
TRIDIA_API tridia_result tridia_differential_operator_apply_add(
    const tridia_differential_operator* op, double s, const void* const* in, void* const* out,
    const tridia_execution* e);

/* Set `count` to the number of terms; of the arrays that are read: one, or for a divergence one for
 * each term; and of those that are written: one, or for a gradient one for each term. */
TRIDIA_API tridia_result
tridia_differential_operator_term_count(const tridia_differential_operator* op, int* count);
TRIDIA_API tridia_result
tridia_differential_operator_in_count(const tridia_differential_operator* op, int* count);
TRIDIA_API tridia_result
tridia_differential_operator_out_count(const tridia_differential_operator* op, int* count);
/* Sets `kind` to a tridia_differential. */
TRIDIA_API tridia_result tridia_differential_operator_kind(const tridia_differential_operator* op,
                                                           int* kind);
/* Set `extents` to the `rank` extents of the array that a term reads, or writes; they live as long
 * as the operator. */
TRIDIA_API tridia_result tridia_differential_operator_in_extents(
    const tridia_differential_operator* op, int term, const int64_t** extents, int* rank);
TRIDIA_API tridia_result tridia_differential_operator_out_extents(
    const tridia_differential_operator* op, int term, const int64_t** extents, int* rank);
TRIDIA_API tridia_result
tridia_differential_operator_backend(const tridia_differential_operator* op, int* backend);
/* Sets `device` to the GPU of a CUDA operator; -1 otherwise. */
TRIDIA_API tridia_result tridia_differential_operator_device(const tridia_differential_operator* op,
                                                             int* device);
/* Sets `threads` to the threads of a CPU operator; 1 otherwise. */
TRIDIA_API tridia_result
tridia_differential_operator_threads(const tridia_differential_operator* op, int* threads);
TRIDIA_API tridia_result
tridia_differential_operator_workspace_bytes(const tridia_differential_operator* op, size_t* bytes);
/* Sets `warning` to the closures' warnings, or "". */
TRIDIA_API tridia_result
tridia_differential_operator_warning(const tridia_differential_operator* op, const char** warning);
/* Sets `description` to a sentence for each term, and what is done together. */
TRIDIA_API tridia_result tridia_differential_operator_description(
    const tridia_differential_operator* op, const char** description);

#ifdef __cplusplus
}
#endif

#endif
