/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_TYPES_H
#define TRIDIA_C_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TRIDIA_API __attribute__((visibility("default")))
#else
#define TRIDIA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* These are the results of calls. From 1 on they are those of `tridia::errc`; the numbers are
 * stable and never reused. */
typedef enum tridia_result {
  TRIDIA_UNKNOWN_ERROR = -1, /* An error that the library does not know: please report it. */
  TRIDIA_SUCCESS = 0,
  TRIDIA_INVALID_ARGUMENT = 1, /* An argument is wrong or two disagree: the sentence names them. */
  TRIDIA_UNSUPPORTED = 2,      /* This build, device or algorithm lacks what is asked for. */
  TRIDIA_OUT_OF_MEMORY = 3,    /* Memory of the host or the device ran out. */
  TRIDIA_WRONG_DEVICE = 4,     /* A pointer to memory that the plan's backend cannot reach. */
  TRIDIA_DEVICE_FAILURE = 5,   /* CUDA reported an error. */
  TRIDIA_SINGULAR = 6,         /* tridia_solve: a system has no finite solution. */
  TRIDIA_PEER_FAILURE = 7      /* Another rank died, failed, or did not come in time. */
} tridia_result;

/* The fields and arguments that take these enumerators are of type int, and any other number is
 * refused. They mean what the enumerators of the same names in `tridia/types.hpp` do. */
enum tridia_value_type { TRIDIA_F32, TRIDIA_F64, TRIDIA_C64, TRIDIA_C128 };
enum tridia_boundary { TRIDIA_REGULAR, TRIDIA_PERIODIC };
enum tridia_pivoting { TRIDIA_PIVOTING_PARTIAL, TRIDIA_PIVOTING_NONE };
enum tridia_operation {
  TRIDIA_OPERATION_NONE,
  TRIDIA_OPERATION_TRANSPOSE,
  TRIDIA_OPERATION_CONJUGATE_TRANSPOSE
};
enum tridia_coefficients { TRIDIA_PER_SYSTEM, TRIDIA_SHARED, TRIDIA_CONSTANT };
enum tridia_ragged_layout {
  TRIDIA_RAGGED_CONCATENATED,
  TRIDIA_RAGGED_PADDED,
  TRIDIA_RAGGED_PACKED
};
enum tridia_backend { TRIDIA_CPU, TRIDIA_CUDA, TRIDIA_REFERENCE };
enum tridia_algorithm {
  TRIDIA_ALGORITHM_AUTOMATIC,
  TRIDIA_ALGORITHM_THOMAS,
  TRIDIA_ALGORITHM_LU,
  TRIDIA_ALGORITHM_PARTITION,
  TRIDIA_ALGORITHM_CR,
  TRIDIA_ALGORITHM_CRNBC,
  TRIDIA_ALGORITHM_PCR,
  TRIDIA_ALGORITHM_CR_PCR,
  TRIDIA_ALGORITHM_PCR_THOMAS,
  TRIDIA_ALGORITHM_PACKED_CR,
  TRIDIA_ALGORITHM_HIERARCHICAL,
  TRIDIA_ALGORITHM_NEATO
};
enum tridia_neato_memory {
  TRIDIA_NEATO_MEMORY_AUTOMATIC,
  TRIDIA_NEATO_MEMORY_SHARED,
  TRIDIA_NEATO_MEMORY_GLOBAL
};
enum tridia_transformation {
  TRIDIA_TRANSFORMATION_NONE,
  TRIDIA_TRANSFORMATION_FULL,
  TRIDIA_TRANSFORMATION_BLOCKS,
  TRIDIA_TRANSFORMATION_PACKED
};
enum tridia_quantity {
  TRIDIA_FIRST_DERIVATIVE,
  TRIDIA_SECOND_DERIVATIVE,
  TRIDIA_THIRD_DERIVATIVE,
  TRIDIA_FOURTH_DERIVATIVE,
  TRIDIA_INTERPOLATION,
  TRIDIA_FILTER
};
enum tridia_staggering { TRIDIA_STAGGERING_NONE, TRIDIA_TO_MIDPOINTS, TRIDIA_TO_POINTS };
enum tridia_end_condition {
  TRIDIA_END_CLOSURE,
  TRIDIA_END_SYMMETRIC,
  TRIDIA_END_ANTISYMMETRIC,
  TRIDIA_END_SYMMETRIC_HALF,
  TRIDIA_END_ANTISYMMETRIC_HALF
};

/* Arrays of any of these structs have at most this many axes. */
#define TRIDIA_MAX_RANK 32

/* Returns the name of a result ("invalid_argument", ...), or "invalid" for any other number. */
TRIDIA_API const char* tridia_result_name(int result);

/* Returns the sentence of the last call of this thread that failed, or "" if none has. It is valid
 * until another call of this thread fails. Where one argument is wrong, the sentence begins with
 * its name and a colon. */
TRIDIA_API const char* tridia_last_error(void);

/* Each returns the name of an enumerator as the C++ interface has it ("f64", "periodic", "thomas"),
 * or "invalid". */
TRIDIA_API const char* tridia_value_type_name(int value);
TRIDIA_API const char* tridia_boundary_name(int value);
TRIDIA_API const char* tridia_pivoting_name(int value);
TRIDIA_API const char* tridia_operation_name(int value);
TRIDIA_API const char* tridia_coefficients_name(int value);
TRIDIA_API const char* tridia_ragged_layout_name(int value);
TRIDIA_API const char* tridia_backend_name(int value);
TRIDIA_API const char* tridia_algorithm_name(int value);
TRIDIA_API const char* tridia_neato_memory_name(int value);
TRIDIA_API const char* tridia_transformation_name(int value);
TRIDIA_API const char* tridia_quantity_name(int value);
TRIDIA_API const char* tridia_staggering_name(int value);
TRIDIA_API const char* tridia_end_condition_name(int value);

/* Each sets `value` to the enumerator of that name; any other name is an invalid argument. */
TRIDIA_API tridia_result tridia_value_type_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_boundary_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_pivoting_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_operation_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_coefficients_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_ragged_layout_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_backend_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_algorithm_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_neato_memory_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_transformation_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_quantity_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_staggering_parse(const char* name, int* value);
TRIDIA_API tridia_result tridia_end_condition_parse(const char* name, int* value);

#ifdef __cplusplus
}
#endif

#endif
