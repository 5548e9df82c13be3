! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
program pencils
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function make_ddy(comm, n, ranks, spacing, ddy) bind(c)
      import :: c_int, c_double, c_ptr
      integer(c_int), value :: comm, ranks
      integer(c_int), intent(in) :: n(3)
      real(c_double), value :: spacing
      type(c_ptr), intent(out) :: ddy
    end function
    integer(c_int) function apply(ddy, u, du, stream) bind(c, name='tridia_distributed_operator_apply')
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: ddy, stream
      real(c_double), intent(in) :: u(*)
      real(c_double), intent(inout) :: du(*)
    end function
    integer(c_int) function destroy(ddy) bind(c, name='tridia_distributed_operator_destroy')
      import :: c_int, c_ptr
      type(c_ptr), value :: ddy
    end function
  end interface
  integer, parameter :: n(3) = [16, 64, 8]
  real(c_double), parameter :: h = 8*atan(1.0_c_double)/n(2)
  real(c_double), allocatable :: u(:, :, :), du(:, :, :)
  real(c_double) :: error
  type(c_ptr) :: ddy
  integer :: rank, ranks, mine, j, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  mine = n(2)/ranks  ! the ranks divide the axis evenly here
  allocate (u(n(1), mine, n(3)), du(n(1), mine, n(3)))
  do j = 1, mine
    u(:, j, :) = sin(h*(rank*mine + j))
  end do
  if (make_ddy(MPI_COMM_WORLD, n, ranks, h, ddy) /= 0) error stop 'no operator'
  if (apply(ddy, u, du, c_null_ptr) /= 0) error stop 'not applied'  ! no transpose of the field
  error = 0
  do j = 1, mine
    error = max(error, maxval(abs(du(:, j, :) - cos(h*(rank*mine + j)))))
  end do
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(l1)', error < 1e-8_c_double
  if (destroy(ddy) /= 0) error stop 'not destroyed'
  call MPI_Finalize(ierror)
end program
