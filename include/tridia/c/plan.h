/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_PLAN_H
#define TRIDIA_C_PLAN_H

#include "tridia/c/tuning.h"
#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Holds a row of a constant matrix; each number is its real and its imaginary part. */
typedef struct tridia_matrix_row {
  double dl[2], d[2], du[2];
} tridia_matrix_row;

/* Describes a batch of tridiagonal systems A x = rhs, as `tridia::problem` does. Row i of a system
 * reads dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1] = rhs[i]. The systems are the lines along `axis` of
 * arrays of `extents`. Begin with TRIDIA_PROBLEM_INIT; what a pointer leads to is copied. */
typedef struct tridia_problem {
  size_t struct_size; /* sizeof(tridia_problem): the version of the struct. */
  int type;           /* The element type of all arrays: tridia_value_type. */
  int rank;           /* The number of axes, from 1 to TRIDIA_MAX_RANK. */
  const int64_t*
      extents; /* `rank` entries; the last axis is the contiguous one of a dense array. */
  int axis;    /* A negative number counts from the last axis. */
  int boundary;
  int64_t right_hand_sides;
  int pivoting;
  int operation;
  int coefficients;
  int short_off_diagonals; /* Not 0: dl and du have n - 1 entries, as in LAPACK. */
  /* Strides count elements, `rank` entries each; null means dense in C order. */
  const int64_t* dl_strides;
  const int64_t* d_strides;
  const int64_t* du_strides;
  const int64_t* rhs_strides;
  const int64_t* x_strides;
  int64_t rhs_step, x_step; /* From one right-hand side to the next; 0: one array after another. */
  const int64_t* offsets;   /* Of a ragged batch, otherwise null: `offset_count` entries. */
  int64_t offset_count;
  int ragged_layout; /* Where the rows of a ragged batch lie: tridia_ragged_layout. */
  /* The matrix of TRIDIA_CONSTANT: interior rows, and those at both ends that differ. */
  tridia_matrix_row interior;
  const tridia_matrix_row* head;
  int64_t head_count;
  const tridia_matrix_row* tail;
  int64_t tail_count;
} tridia_problem;

#define TRIDIA_PROBLEM_INIT                                                                   \
  {                                                                                           \
    sizeof(tridia_problem), TRIDIA_F64, 0, 0, -1, TRIDIA_REGULAR, 1, TRIDIA_PIVOTING_PARTIAL, \
        TRIDIA_OPERATION_NONE, TRIDIA_PER_SYSTEM, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,               \
        TRIDIA_RAGGED_CONCATENATED, {{0, 0}, {0, 0}, {0, 0}}, 0, 0, 0, 0                      \
  }

/* Says where and how a plan runs, as `tridia::options` and `tridia::algorithm_parameters` do. */
typedef struct tridia_options {
  size_t struct_size;
  int backend;
  int algorithm;
  int threads;                 /* Of a CPU; 0: all that OpenMP offers. */
  int device;                  /* The GPU; -1: the current one. */
  const tridia_tuning* tuning; /* Null: the library's. The table is copied. */
  int switch_point;            /* 0 leaves this parameter and the next to the library. */
  int packing_depth;
  int transformation;
  int neato_memory;
} tridia_options;

#define TRIDIA_OPTIONS_INIT                                                         \
  {                                                                                 \
    sizeof(tridia_options), TRIDIA_CPU, TRIDIA_ALGORITHM_AUTOMATIC, 0, -1, 0, 0, 0, \
        TRIDIA_TRANSFORMATION_NONE, TRIDIA_NEATO_MEMORY_AUTOMATIC                   \
  }

/* Holds what one execution needs in addition to its arrays, as `tridia::execution` does: memory
 * lies where the plan runs. */
typedef struct tridia_execution {
  size_t struct_size;
  void* workspace; /* At least tridia_plan_workspace_bytes, at any alignment. */
  size_t workspace_bytes;
  int64_t* status; /* Null, or an entry for each system: 0, or LAPACK's info, or -row. */
  void* stream;    /* A cudaStream_t; null is the default stream. */
} tridia_execution;

#define TRIDIA_EXECUTION_INIT \
  { sizeof(tridia_execution), 0, 0, 0, 0 }

/* A plan prepares a problem so that it can be solved many times. It is immutable: any number of
 * threads may execute one plan at the same time, each with a workspace of its own. It is destroyed
 * when no call uses it any more, and all work that it has enqueued is done. */
typedef struct tridia_plan tridia_plan;

/* Makes a plan; `options` may be null. `*plan` is to be destroyed by tridia_plan_destroy. */
TRIDIA_API tridia_result tridia_plan_create(const tridia_problem* problem,
                                            const tridia_options* options, tridia_plan** plan);
TRIDIA_API tridia_result tridia_plan_destroy(tridia_plan* plan);

/* Solves every system. `e` may be null where no workspace is needed. `x` may be `rhs` or another
 * input: the same pointer, the same strides; any other overlap of it with an input is refused. A
 * singular system is no error: its x is NaN, and its status is not 0. */
TRIDIA_API tridia_result tridia_plan_execute(const tridia_plan* plan, const void* dl, const void* d,
                                             const void* du, const void* rhs, void* x,
                                             const tridia_execution* e);
/* Solves every system where the coefficients are constant. */
TRIDIA_API tridia_result tridia_plan_execute_constant(const tridia_plan* plan, const void* rhs,
                                                      void* x, const tridia_execution* e);
/* Factors every matrix into `factors`, which has tridia_plan_factors_bytes where the plan runs. */
TRIDIA_API tridia_result tridia_plan_factor(const tridia_plan* plan, const void* dl, const void* d,
                                            const void* du, void* factors,
                                            const tridia_execution* e);
/* Solves with factors of this plan, or of an equal one. */
TRIDIA_API tridia_result tridia_plan_solve(const tridia_plan* plan, const void* factors,
                                           const void* rhs, void* x, const tridia_execution* e);

/* Sets `problem`, whose struct_size says how large it is, to the problem as it was given; what it
 * points to lives as long as the plan. */
TRIDIA_API tridia_result tridia_plan_problem(const tridia_plan* plan, tridia_problem* problem);
TRIDIA_API tridia_result tridia_plan_backend(const tridia_plan* plan, int* backend);
/* Sets `algorithm` to the one that the plan uses, and `reason` to a sentence that says why. */
TRIDIA_API tridia_result tridia_plan_algorithm(const tridia_plan* plan, int* algorithm);
TRIDIA_API tridia_result tridia_plan_reason(const tridia_plan* plan, const char** reason);
/* Sets `systems` to the number of systems, without right-hand sides: the entries of a status. */
TRIDIA_API tridia_result tridia_plan_systems(const tridia_plan* plan, int64_t* systems);
/* Sets `device` to the GPU of a CUDA plan; -1 otherwise. */
TRIDIA_API tridia_result tridia_plan_device(const tridia_plan* plan, int* device);
/* Sets `threads` to the threads of a CPU plan; 1 otherwise. */
TRIDIA_API tridia_result tridia_plan_threads(const tridia_plan* plan, int* threads);
TRIDIA_API tridia_result tridia_plan_workspace_bytes(const tridia_plan* plan, size_t* bytes);
/* Sets `bytes` to 0 where the algorithm saves no factors. */
TRIDIA_API tridia_result tridia_plan_factors_bytes(const tridia_plan* plan, size_t* bytes);

/* Makes a plan, allocates a workspace, executes, and waits. `dl`, `d` and `du` are null where the
 * coefficients are constant. `status` is in host memory and has at least one entry per system, of
 * `status_count` in all; where it is null (and `status_count` is 0), a singular system gives
 * TRIDIA_SINGULAR after all have been solved. In both cases its x is NaN. `stream` is a
 * cudaStream_t, or null. */
TRIDIA_API tridia_result tridia_solve(const tridia_problem* problem, const tridia_options* options,
                                      const void* dl, const void* d, const void* du,
                                      const void* rhs, void* x, int64_t* status,
                                      int64_t status_count, void* stream);

#ifdef __cplusplus
}
#endif

#endif
