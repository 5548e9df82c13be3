// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

#include <nccl.h>

/// NCCL for `tridia/distributed.hpp`: arrays in the memory of GPUs, one for each rank; link with
/// tridia::nccl. Ranks are processes, or threads of one process; a rank's calls come from one
/// thread at a time. Work is waited for by `communicator::synchronize`: where a rank is lost, only
/// that ends what waits for it on the device.
namespace tridia::distributed {

/// All ranks of `start` call it together, each with the GPU (-1: the current one) where its arrays
/// lie. `start`, which may be MPI's, only carries the address at which ranks meet. No two ranks
/// have the same GPU. Lives until the last plan that was made with it is gone. Throws `error`:
/// invalid_argument, unsupported (no GPU), peer_failure.
communicator nccl_communicator(const communicator& start, int device = -1,
                               const communicator_options& o = {});

/// The same from the caller's communicator of NCCL, which stays his (it is split); all its ranks
/// call it together. With several GPUs in one process (ncclCommInitAll), one thread for each.
communicator nccl_communicator(ncclComm_t ranks, const communicator_options& o = {});

}  // namespace tridia::distributed
