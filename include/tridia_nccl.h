/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_NCCL_H
#define TRIDIA_NCCL_H

/* This header adds NCCL to tridia.h: arrays lie in the memory of GPUs, one GPU for each rank. Link
 * with tridia_nccl. */
#include <nccl.h>

#include "tridia.h"
#include "tridia/c/distributed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a communicator that sends by NCCL; `start`, which may be MPI's, carries the address at
 * which ranks meet. `device` is this rank's GPU; -1: the current one. `options` may be null. */
TRIDIA_API tridia_result tridia_nccl_communicator_create(const tridia_communicator* start,
                                                         int device,
                                                         const tridia_communicator_options* options,
                                                         tridia_communicator** communicator);
/* Makes one from the caller's NCCL communicator, which is split and stays the caller's. */
TRIDIA_API tridia_result tridia_nccl_communicator_from(ncclComm_t ranks,
                                                       const tridia_communicator_options* options,
                                                       tridia_communicator** communicator);

#ifdef __cplusplus
}
#endif

#endif
