! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
program ranks
  use mpi_f08
  use tridia_mpi
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  type(tridia_communicator) :: all
  type(tridia_decomposition) :: blocks
  type(tridia_distributed_plan) :: plan
  integer(int64), allocatable :: first(:), shape(:), status(:)
  real(real64), allocatable :: dl(:, :), d(:, :), du(:, :), field(:, :)

  call MPI_Init()
  call tridia_mpi_communicator_create(all, MPI_COMM_WORLD)
  ! A field of 48 x 101 points, whose second axis is cut into as many blocks as there are ranks.
  call blocks%create([48_int64, 101_int64], [1, all%size()])
  call blocks%block(all%rank(), first, shape)
  allocate (dl(shape(1), shape(2)), d(shape(1), shape(2)), status(shape(1)))
  allocate (du(shape(1), shape(2)), field(shape(1), shape(2)))
  dl = -1
  d = 4
  du = -1
  field = 2
  call plan%create_for(blocks, all, dl, d, du, field, field, dim=2, boundary=tridia_periodic)
  call plan%execute(dl, d, du, field, field, status=status)
  if (all%rank() == 0) print '(f8.6, i3)', field(1, 1), status(1)  ! 1.000000  0
  call plan%destroy()
  call blocks%destroy()
  call all%destroy()
  call MPI_Finalize()
end program
