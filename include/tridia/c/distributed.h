/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_DISTRIBUTED_H
#define TRIDIA_C_DISTRIBUTED_H

/* These are lines of fields that are spread over ranks, as `tridia/distributed.hpp` has them. Make
 * a communicator by tridia_mpi.h or tridia_nccl.h. All ranks make a plan, an operator or a halo
 * exchange together, and execute it together; a failure of one is TRIDIA_PEER_FAILURE on the
 * others. */
#include "tridia/c/operator.h"
#include "tridia/c/plan.h"
#include "tridia/c/scheme.h"
#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Describes how planes cut a global array into one block for each rank, numbered in C order. */
typedef struct tridia_decomposition tridia_decomposition;
/* Describes the ranks that work together; what is made with it keeps what it needs of it. */
typedef struct tridia_communicator tridia_communicator;
typedef struct tridia_distributed_plan tridia_distributed_plan;
typedef struct tridia_distributed_operator tridia_distributed_operator;
typedef struct tridia_halo_exchange tridia_halo_exchange;

typedef struct tridia_communicator_options {
  size_t struct_size;
  double time_limit; /* Seconds that any wait for another rank may take; 0: no limit. */
  int peer_memory;   /* Not 0: GPUs store messages into each other's memory where they reach it. */
  int reserved;      /* 0 */
} tridia_communicator_options;
#define TRIDIA_COMMUNICATOR_OPTIONS_INIT \
  { sizeof(tridia_communicator_options), 60, 1, 0 }

enum tridia_strategy {
  TRIDIA_STRATEGY_AUTOMATIC,
  TRIDIA_STRATEGY_GATHER,
  TRIDIA_STRATEGY_ALLGATHER,
  TRIDIA_STRATEGY_PCR,
  TRIDIA_STRATEGY_ALL_TO_ALL,
  TRIDIA_STRATEGY_NEAREST
};

typedef struct tridia_distributed_plan_options {
  size_t struct_size;
  int strategy;
  int statuses;              /* Not 0: ranks tell each other which lines have failed. */
  double tolerance;          /* Bounds what TRIDIA_STRATEGY_NEAREST may neglect. */
  double neglected_coupling; /* What it would neglect, where it is known; below 0: it is not. */
  size_t interface_bytes;    /* What one rank may use for interface systems of others. */
  int threads;
  int timings; /* Not 0: phases are timed, which takes a GPU some 3 microseconds each. */
} tridia_distributed_plan_options;
#define TRIDIA_DISTRIBUTED_PLAN_OPTIONS_INIT \
  { sizeof(tridia_distributed_plan_options), TRIDIA_STRATEGY_AUTOMATIC, 1, 0, -1, 67108864, 0, 0 }

typedef struct tridia_distributed_operator_options {
  size_t struct_size;
  double tolerance;
  int threads;
  int slabs;    /* From 1. */
  int strategy; /* TRIDIA_STRATEGY_AUTOMATIC or TRIDIA_STRATEGY_GATHER. */
  int timings;  /* Not 0: phases are timed. */
} tridia_distributed_operator_options;
#define TRIDIA_DISTRIBUTED_OPERATOR_OPTIONS_INIT \
  { sizeof(tridia_distributed_operator_options), 0, 0, 1, TRIDIA_STRATEGY_AUTOMATIC, 0 }

/* Holds the times of the phases of an execution on this rank, in seconds; 0 where the options do not
 * ask for them. */
typedef struct tridia_phase_times {
  double reduce, interface_solve, expand, statuses;
} tridia_phase_times;

/* Holds the same time by the steps that `distributed::step_times` describes, in seconds. */
typedef struct tridia_step_times {
  double halo, right_hand_sides, primary, faces, reduced, sum;
} tridia_step_times;

/* Describes the layers of points around a block that neighbours hold, as `distributed::halo` does;
 * `before`, `after` and `periodic` have an entry for each axis, or are null (none). */
typedef struct tridia_halo {
  size_t struct_size;
  int type;
  int rank;               /* The number of axes. */
  const int64_t* strides; /* Null: dense in C order, with room for the halo. */
  const int* before;
  const int* after;
  const int* periodic;
} tridia_halo;
#define TRIDIA_HALO_INIT \
  { sizeof(tridia_halo), TRIDIA_F64, 0, 0, 0, 0, 0 }

TRIDIA_API const char* tridia_strategy_name(int value);
TRIDIA_API tridia_result tridia_strategy_parse(const char* name, int* value);

/* Cuts axis a of `rank` axes into `ranks[a]` blocks of nearly equal lengths. */
TRIDIA_API tridia_result tridia_decomposition_create(int rank, const int64_t* extents,
                                                     const int* ranks,
                                                     tridia_decomposition** decomposition);
/* Cuts axis a into `ranks[a]` blocks; `parts` holds their lengths, those of axis 0 first. */
TRIDIA_API tridia_result tridia_decomposition_of_parts(int rank, const int* ranks,
                                                       const int64_t* parts,
                                                       tridia_decomposition** decomposition);
TRIDIA_API tridia_result tridia_decomposition_destroy(tridia_decomposition* decomposition);
/* Sets `rank` to the number of axes and `size` to the number of ranks. */
TRIDIA_API tridia_result tridia_decomposition_shape(const tridia_decomposition* decomposition,
                                                    int* rank, int* size);
/* Copies the first point and the extents of a rank's block: an entry for each axis. */
TRIDIA_API tridia_result tridia_decomposition_block(const tridia_decomposition* decomposition,
                                                    int of_rank, int64_t* begin, int64_t* extents);
/* Sets `neighbour` to the rank `step` blocks away along an axis; -1 beyond the ends. */
TRIDIA_API tridia_result tridia_decomposition_neighbour(const tridia_decomposition* decomposition,
                                                        int of_rank, int axis, int step,
                                                        int periodic, int* neighbour);

TRIDIA_API tridia_result tridia_communicator_destroy(tridia_communicator* communicator);
TRIDIA_API tridia_result tridia_communicator_rank(const tridia_communicator* communicator,
                                                  int* rank);
TRIDIA_API tridia_result tridia_communicator_size(const tridia_communicator* communicator,
                                                  int* size);
/* Sets `device` to the GPU in whose memory arrays lie; -1: host memory. */
TRIDIA_API tridia_result tridia_communicator_device(const tridia_communicator* communicator,
                                                    int* device);
/* Waits for all work in a stream of that GPU, messages included. */
TRIDIA_API tridia_result tridia_communicator_synchronize(const tridia_communicator* communicator,
                                                         void* stream);

/* Makes a plan; the problem's extents are those of this rank's block, or there are none (rank 0, no
 * strides). `options` may be null. One execution of a plan runs at a time. */
TRIDIA_API tridia_result tridia_distributed_plan_create(
    const tridia_decomposition* decomposition, const tridia_problem* problem,
    const tridia_communicator* communicator, const tridia_distributed_plan_options* options,
    tridia_distributed_plan** plan);
TRIDIA_API tridia_result tridia_distributed_plan_destroy(tridia_distributed_plan* plan);
/* Solves every line: start and then finish. dl, d and du are null for constant coefficients. No
 * workspace is needed; `e` may be null. */
TRIDIA_API tridia_result tridia_distributed_plan_execute(tridia_distributed_plan* plan,
                                                         const void* dl, const void* d,
                                                         const void* du, const void* rhs, void* x,
                                                         const tridia_execution* e);
TRIDIA_API tridia_result tridia_distributed_plan_start(tridia_distributed_plan* plan,
                                                       const void* dl, const void* d,
                                                       const void* du, const void* rhs, void* x,
                                                       const tridia_execution* e);
TRIDIA_API tridia_result tridia_distributed_plan_finish(tridia_distributed_plan* plan);
TRIDIA_API tridia_result tridia_distributed_plan_neglected_coupling(tridia_distributed_plan* plan,
                                                                    const void* dl, const void* d,
                                                                    const void* du,
                                                                    double* coupling);
TRIDIA_API tridia_result tridia_distributed_plan_strategy(const tridia_distributed_plan* plan,
                                                          int* strategy);
TRIDIA_API tridia_result tridia_distributed_plan_reason(const tridia_distributed_plan* plan,
                                                        const char** reason);
TRIDIA_API tridia_result tridia_distributed_plan_systems(const tridia_distributed_plan* plan,
                                                         int64_t* systems);
TRIDIA_API tridia_result tridia_distributed_plan_timings(const tridia_distributed_plan* plan,
                                                         tridia_phase_times* times);
TRIDIA_API tridia_result tridia_distributed_plan_step_timings(const tridia_distributed_plan* plan,
                                                              tridia_step_times* times);
TRIDIA_API tridia_result
tridia_distributed_plan_workspace_bytes(const tridia_distributed_plan* plan, size_t* bytes);

/* Makes an operator; the grid's extents are those of this rank's block, or there are none.
 * `closure` and `options` may be null. */
TRIDIA_API tridia_result tridia_distributed_operator_create(
    const tridia_decomposition* decomposition, const tridia_scheme* scheme,
    const tridia_closure* closure, const tridia_grid* lines,
    const tridia_communicator* communicator, const tridia_distributed_operator_options* options,
    tridia_distributed_operator** op);
TRIDIA_API tridia_result tridia_distributed_operator_destroy(tridia_distributed_operator* op);
/* Compute out = op(in), and out += s op(in). */
TRIDIA_API tridia_result tridia_distributed_operator_apply(tridia_distributed_operator* op,
                                                           const void* in, void* out, void* stream);
TRIDIA_API tridia_result tridia_distributed_operator_apply_add(tridia_distributed_operator* op,
                                                               double s, const void* in, void* out,
                                                               void* stream);
TRIDIA_API tridia_result tridia_distributed_operator_start(tridia_distributed_operator* op,
                                                           const void* in, void* out, void* stream);
TRIDIA_API tridia_result tridia_distributed_operator_start_add(tridia_distributed_operator* op,
                                                               double s, const void* in, void* out,
                                                               void* stream);
TRIDIA_API tridia_result tridia_distributed_operator_finish(tridia_distributed_operator* op);
/* Copies the extents of a rank's block of the array that is written: an entry for each axis. */
TRIDIA_API tridia_result tridia_distributed_operator_out_block(
    const tridia_distributed_operator* op, int of_rank, int64_t* begin, int64_t* extents);
TRIDIA_API tridia_result tridia_distributed_operator_warning(const tridia_distributed_operator* op,
                                                             const char** warning);
/* Sets `peers` to the `count` ranks that this rank exchanges messages with. */
TRIDIA_API tridia_result tridia_distributed_operator_peers(const tridia_distributed_operator* op,
                                                           const int** peers, int* count);
TRIDIA_API tridia_result tridia_distributed_operator_timings(const tridia_distributed_operator* op,
                                                             tridia_phase_times* times);
TRIDIA_API tridia_result tridia_distributed_operator_step_timings(
    const tridia_distributed_operator* op, tridia_step_times* times);
TRIDIA_API tridia_result
tridia_distributed_operator_workspace_bytes(const tridia_distributed_operator* op, size_t* bytes);

/* Fills halos: the layers beside the faces of a block. */
TRIDIA_API tridia_result tridia_halo_exchange_create(const tridia_decomposition* decomposition,
                                                     const tridia_halo* halo,
                                                     const tridia_communicator* communicator,
                                                     tridia_halo_exchange** exchange);
TRIDIA_API tridia_result tridia_halo_exchange_destroy(tridia_halo_exchange* exchange);
TRIDIA_API tridia_result tridia_halo_exchange_start(tridia_halo_exchange* exchange, void* field,
                                                    void* stream);
TRIDIA_API tridia_result tridia_halo_exchange_finish(tridia_halo_exchange* exchange);

#ifdef __cplusplus
}
#endif

#endif
