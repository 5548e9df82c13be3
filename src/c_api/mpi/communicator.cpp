// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/communicators.hpp"
#include "tridia/mpi.hpp"
#include "tridia_mpi.h"

using namespace tridia::c_api;
using tridia::distributed::communicator;

namespace {

/// Refuses to ask MPI for anything while it is not running: it would end the program.
void need_mpi() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started == 0 || ended != 0) tridia::refuse("MPI: is not running; call MPI_Init first");
}

}  // namespace

extern "C" {

tridia_result tridia_mpi_communicator_create(MPI_Comm ranks,
                                             const tridia_communicator_options* options,
                                             tridia_communicator** c) {
  return create<communicator>(kind::communicator, c, "communicator", [&] {
    return tridia::distributed::mpi_communicator(ranks, as_cpp(options));
  });
}

tridia_result tridia_mpi_communicator_create_f(MPI_Fint ranks,
                                               const tridia_communicator_options* options,
                                               tridia_communicator** c) {
  return create<communicator>(kind::communicator, c, "communicator", [&] {
    need_mpi();
    return tridia::distributed::mpi_communicator(MPI_Comm_f2c(ranks), as_cpp(options));
  });
}

}  // extern "C"
