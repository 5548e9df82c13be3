// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

#include <mpi.h>

/// MPI for `tridia/distributed.hpp`; link with tridia::mpi. MPI is called by the thread that calls
/// the library, and by no other.
namespace tridia::distributed {

/// All ranks of `ranks` call it together: it is duplicated, and stays the caller's. Arrays are in
/// host memory; MPI need not know of GPUs. Lives until the last plan that was made with it is gone,
/// which must be before MPI_Finalize. Throws `error`: invalid_argument (MPI is not running, no
/// communicator), peer_failure.
communicator mpi_communicator(MPI_Comm ranks, const communicator_options& o = {});

}  // namespace tridia::distributed
