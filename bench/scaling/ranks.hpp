// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../report.hpp"

#include "tridia/distributed.hpp"

#include <map>
#include <string>

namespace tridia_bench {

/// Makes one of this machine's GPUs this rank's. Throws where there is none, or no NCCL.
void take_gpu();

/// These return MPI's ranks, or the same with their GPUs; and this rank by itself. GPUs may store
/// messages into each other's memory, or not.
tridia::distributed::communicator all_ranks(bool on_gpus, bool peer_memory);
tridia::distributed::communicator this_rank(bool on_gpus, bool peer_memory);

/// Describes where results were made; adds the versions of the libraries that moved data.
machine_info scaling_machine(bool on_gpus, std::map<std::string, std::string>& versions);

}  // namespace tridia_bench
