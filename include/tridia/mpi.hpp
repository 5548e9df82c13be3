// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

#include <mpi.h>

/// This header adds MPI to `tridia/distributed.hpp`; link with tridia::mpi. Only the thread that
/// calls the library calls MPI.
namespace tridia::distributed {

/// Makes a communicator that sends by MPI. All ranks of `ranks` call it together; `ranks` is
/// duplicated, and stays the caller's. Arrays are in host memory; MPI need not support GPUs. The
/// communicator lives until the last plan that was made with it is gone, which must be before
/// MPI_Finalize. Throws `error`: invalid_argument (MPI is not running, no communicator),
/// peer_failure.
communicator mpi_communicator(MPI_Comm ranks, const communicator_options& o = {});

}  // namespace tridia::distributed
