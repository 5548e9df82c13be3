/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_MPI_H
#define TRIDIA_MPI_H

/* This header adds MPI to tridia.h: link with tridia_mpi. */
#include <mpi.h>

#include "tridia.h"
#include "tridia/c/distributed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a communicator that sends by MPI. All ranks of `ranks`, which is duplicated and stays the
 * caller's, call it together; arrays are in host memory. `options` may be null. */
TRIDIA_API tridia_result tridia_mpi_communicator_create(MPI_Comm ranks,
                                                        const tridia_communicator_options* options,
                                                        tridia_communicator** communicator);
/* Makes the same from the number that Fortran has for a communicator. */
TRIDIA_API tridia_result tridia_mpi_communicator_create_f(
    MPI_Fint ranks, const tridia_communicator_options* options, tridia_communicator** communicator);

#ifdef __cplusplus
}
#endif

#endif
