/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_TUNING_H
#define TRIDIA_C_TUNING_H

#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Holds a table of measurements for GPU plans, as `tridia::tuning_table` does. */
typedef struct tridia_tuning tridia_tuning;

/* Holds the best parameters for systems of one kind, as `tridia::tuning_entry` does. */
typedef struct tridia_tuning_entry {
  size_t struct_size;
  int compute_capability; /* 90 is 9.0. */
  int type;
  int pivoting;
  int interleaved;    /* Not 0: neighbours in memory are other systems. */
  const char* kernel; /* A name that tridia_tunable_kernel_name gives. */
  int64_t rows;
  const int* values; /* One for each parameter of the kernel. */
  int64_t value_count;
} tridia_tuning_entry;

#define TRIDIA_TUNING_ENTRY_INIT \
  { sizeof(tridia_tuning_entry), 0, TRIDIA_F64, TRIDIA_PIVOTING_NONE, 0, 0, 0, 0, 0 }

/* Makes a table without entries. */
TRIDIA_API tridia_result tridia_tuning_create(tridia_tuning** tuning);
/* Makes the table that a text holds, as `tridia tune` writes it. */
TRIDIA_API tridia_result tridia_tuning_parse(const char* text, tridia_tuning** tuning);
TRIDIA_API tridia_result tridia_tuning_destroy(tridia_tuning* tuning);
/* Adds an entry; plans that were made with the table keep it as it was. */
TRIDIA_API tridia_result tridia_tuning_add(tridia_tuning* tuning, const tridia_tuning_entry* entry);
TRIDIA_API tridia_result tridia_tuning_count(const tridia_tuning* tuning, int64_t* count);
/* Sets `entry`, whose struct_size says how large it is, to entry `k`, from 0. What it points to
 * lives until the table is changed or destroyed. */
TRIDIA_API tridia_result tridia_tuning_get(const tridia_tuning* tuning, int64_t k,
                                           tridia_tuning_entry* entry);
/* Copies the table as text. */
TRIDIA_API tridia_result tridia_tuning_text(const tridia_tuning* tuning, char* text, size_t size,
                                            size_t* needed);

/* These describe the kernels whose parameters can be tuned, and the values that are worth trying;
 * kernels, parameters and values are counted from 0. */
TRIDIA_API tridia_result tridia_tunable_kernel_count(int* count);
TRIDIA_API tridia_result tridia_tunable_kernel_name(int kernel, const char** name);
TRIDIA_API tridia_result tridia_tunable_parameter_count(int kernel, int* count);
TRIDIA_API tridia_result tridia_tunable_parameter(int kernel, int parameter, const char** name,
                                                  const int** values, int* value_count);

#ifdef __cplusplus
}
#endif

#endif
