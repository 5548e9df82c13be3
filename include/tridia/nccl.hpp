// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

#include <nccl.h>

/// This header adds NCCL to `tridia/distributed.hpp`: arrays lie in the memory of GPUs, one GPU for
/// each rank. Link with tridia::nccl. Ranks are processes, or threads of one process; a rank's
/// calls come from one thread at a time. `communicator::synchronize` waits for work: where a rank
/// is lost, only this call ends the work of NCCL that waits for that rank. Messages that GPUs store
/// into each other's memory (`communicator_options::peer_memory`) are waited for until the time
/// limit, whoever calls what.
namespace tridia::distributed {

/// Makes a communicator of GPUs. All ranks of `start` call it together, each with the
/// GPU (-1: the current one) where its arrays lie. `start`, which may be MPI's, only carries the
/// address at which ranks meet. No two ranks have the same GPU. The communicator lives until the
/// last plan that was made with it is gone. Throws `error`: invalid_argument, unsupported (no GPU),
/// peer_failure.
communicator nccl_communicator(const communicator& start, int device = -1,
                               const communicator_options& o = {});

/// Makes a communicator from the caller's NCCL communicator, which is split and stays the caller's.
/// All its ranks call it together; with several GPUs in one process (ncclCommInitAll), one thread
/// calls it for each GPU. Lifetime and errors are as for the form above.
communicator nccl_communicator(ncclComm_t ranks, const communicator_options& o = {});

}  // namespace tridia::distributed
