/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_SCHEME_H
#define TRIDIA_C_SCHEME_H

#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Holds one row of a compact scheme, as `tridia::compact_row` does: with f the values, g the
 * results and q the order of the derivative, it reads sub g[i-1] + diag g[i] + sup g[i+1] = h^-q
 * (weights[0] f[i+first] + weights[1] f[i+first+1] ...) */
typedef struct tridia_compact_row {
  double sub, diag, sup;
  const double* weights;
  int weight_count;
  int first;
} tridia_compact_row;

#define TRIDIA_COMPACT_ROW_INIT \
  { 0, 1, 0, 0, 0, 0 }

/* A scheme describes the rows of a compact scheme away from the ends of lines, a closure those at
 * the ends. Both are immutable, and operators copy what they need. */
typedef struct tridia_scheme tridia_scheme;
typedef struct tridia_closure tridia_closure;

/* Sets `order` to the order of accuracy of a row; INT_MAX for one that does not change the values.
 */
TRIDIA_API tridia_result tridia_row_order(const tridia_compact_row* row, int quantity,
                                          int staggering, int* order);

/* Copies the names of the schemes that come with the library, one a line. */
TRIDIA_API tridia_result tridia_scheme_names(int quantity, int staggering, char* text, size_t size,
                                             size_t* needed);
/* Finds a scheme by its name. `alpha_f` is for filters alone, from -1/2 to 1/2 (say 0.45). */
TRIDIA_API tridia_result tridia_scheme_find(int quantity, const char* name, int staggering,
                                            double alpha_f, tridia_scheme** scheme);
/* Makes a scheme from its coefficients; `name` is for messages. */
TRIDIA_API tridia_result tridia_scheme_create(const char* name, int quantity, int staggering,
                                              const tridia_compact_row* interior,
                                              tridia_scheme** scheme);
TRIDIA_API tridia_result tridia_scheme_destroy(tridia_scheme* scheme);

TRIDIA_API tridia_result tridia_scheme_name(const tridia_scheme* scheme, const char** name);
TRIDIA_API tridia_result tridia_scheme_quantity(const tridia_scheme* scheme, int* quantity);
TRIDIA_API tridia_result tridia_scheme_staggering(const tridia_scheme* scheme, int* staggering);
TRIDIA_API tridia_result tridia_scheme_order(const tridia_scheme* scheme, int* order);
/* Sets `row`; its weights live as long as the scheme. */
TRIDIA_API tridia_result tridia_scheme_interior(const tridia_scheme* scheme,
                                                tridia_compact_row* row);
/* Sets `symbol` to the real and the imaginary part of the symbol; `w` is in radians per cell. */
TRIDIA_API tridia_result tridia_scheme_symbol(const tridia_scheme* scheme, double w,
                                              double symbol[2]);
TRIDIA_API tridia_result tridia_scheme_modified_wavenumber(const tridia_scheme* scheme, double w,
                                                           double wavenumber[2]);

/* Finds the closure of a scheme that a name such as "3-4-6-4-3" describes, or its default one. */
TRIDIA_API tridia_result tridia_closure_find(const tridia_scheme* scheme, const char* name,
                                             tridia_closure** closure);
TRIDIA_API tridia_result tridia_closure_default(const tridia_scheme* scheme,
                                                tridia_closure** closure);
/* Makes a closure from the rows 0, 1, ... of lines, and from their last rows; where there is no
 * tail (null, 0), the last rows are mirror images of the first. */
TRIDIA_API tridia_result tridia_closure_create(const char* name, int quantity, int staggering,
                                               const tridia_compact_row* head, int head_count,
                                               const tridia_compact_row* tail, int tail_count,
                                               tridia_closure** closure);
TRIDIA_API tridia_result tridia_closure_destroy(tridia_closure* closure);

TRIDIA_API tridia_result tridia_closure_name(const tridia_closure* closure, const char** name);
TRIDIA_API tridia_result tridia_closure_quantity(const tridia_closure* closure, int* quantity);
TRIDIA_API tridia_result tridia_closure_staggering(const tridia_closure* closure, int* staggering);
TRIDIA_API tridia_result tridia_closure_counts(const tridia_closure* closure, int* head_count,
                                               int* tail_count);
/* Set `row` to row `k` of the head or the tail, from 0; its weights live as long as the closure. */
TRIDIA_API tridia_result tridia_closure_head(const tridia_closure* closure, int k,
                                             tridia_compact_row* row);
TRIDIA_API tridia_result tridia_closure_tail(const tridia_closure* closure, int k,
                                             tridia_compact_row* row);
/* Sets `order` to the order of accuracy of row `k` of the head. */
TRIDIA_API tridia_result tridia_closure_order(const tridia_closure* closure, int k, int* order);
/* Sets `row_count` to the number of rows of a closure that the scheme needs. */
TRIDIA_API tridia_result tridia_closure_row_count(const tridia_scheme* scheme, int* row_count);
/* Copies the orders that tridia_closure_find knows for row `k` into `orders`, of which there is
 * room for `capacity`, and sets `count` (which may be null) to their number. */
TRIDIA_API tridia_result tridia_closure_choices(const tridia_scheme* scheme, int k, int* orders,
                                                int capacity, int* count);
/* Copies a sentence that warns of an unstable closure, or "". */
TRIDIA_API tridia_result tridia_closure_warning(const tridia_scheme* scheme,
                                                const tridia_closure* closure, char* text,
                                                size_t size, size_t* needed);

#ifdef __cplusplus
}
#endif

#endif
