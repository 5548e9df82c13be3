/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <tridia_mpi.h>

/* Makes d/dy, by the compact scheme C6, of a field (nx, ny, nz) of Fortran whose second axis is cut
 * into a block for each rank of a communicator. C counts axes from the slowest: z, y, x. */
tridia_result make_ddy(MPI_Fint comm, const int* n, int ranks, double spacing,
                       tridia_distributed_operator** ddy) {
  const int64_t extents[3] = {n[2], n[1], n[0]};
  const int cuts[3] = {1, ranks, 1};
  tridia_communicator* communicator = NULL;
  tridia_decomposition* blocks = NULL;
  tridia_scheme* c6 = NULL;
  tridia_grid lines = TRIDIA_GRID_INIT;
  tridia_result result = tridia_mpi_communicator_create_f(comm, NULL, &communicator);

  lines.axis = 1;
  lines.spacing = spacing;
  lines.boundary = TRIDIA_PERIODIC;
  if (!result) result = tridia_decomposition_create(3, extents, cuts, &blocks);
  if (!result)
    result = tridia_scheme_find(TRIDIA_FIRST_DERIVATIVE, "C6", TRIDIA_STAGGERING_NONE, 0, &c6);
  if (!result)
    result = tridia_distributed_operator_create(blocks, c6, NULL, &lines, communicator, NULL, ddy);
  tridia_scheme_destroy(c6);
  tridia_decomposition_destroy(blocks);
  tridia_communicator_destroy(communicator);
  return result;
}
