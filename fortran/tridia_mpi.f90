! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> Makes communicators that send by MPI; it has all of modules tridia and tridia_distributed.
module tridia_mpi
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_loc, c_null_ptr, &
    c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08, only: MPI_Comm
  use tridia
  use tridia_distributed
  use tridia_distributed_c, only: c_communicator_options, c_mpi_communicator_create
  use tridia_c, only: c_last_error, c_strlen
  implicit none
  private :: text_of, report, fail, message_size, create_f08, create_integer, MPI_Comm, real64
  private :: c_mpi_communicator_create, c_communicator_options, c_last_error, c_strlen
  private :: c_associated, c_char, c_f_pointer, c_int, c_loc, c_null_ptr, c_ptr, c_sizeof

  !> Makes a communicator of all ranks of `ranks`, which call this together: a type(MPI_Comm), or an
  !> integer as `use mpi` and mpif.h have it. `ranks` is duplicated and stays the caller's. No wait for
  !> another rank takes longer than `time_limit` seconds (60; 0: no limit).
  interface tridia_mpi_communicator_create
    module procedure create_f08, create_integer
  end interface

  integer, parameter :: message_size = 1024

contains

  subroutine create_f08(communicator, ranks, time_limit, stat, errmsg)
    type(tridia_communicator), intent(inout) :: communicator
    type(MPI_Comm), intent(in) :: ranks
    real(real64), optional, intent(in) :: time_limit
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    call create_integer(communicator, ranks%MPI_VAL, time_limit, stat, errmsg)
  end subroutine

  subroutine create_integer(communicator, ranks, time_limit, stat, errmsg)
    type(tridia_communicator), intent(inout) :: communicator
    integer, intent(in) :: ranks
    real(real64), optional, intent(in) :: time_limit
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    type(c_communicator_options) :: o
    type(c_ptr) :: handle
    integer(c_int) :: code
    o%struct_size = c_sizeof(o)
    if (present(time_limit)) o%time_limit = time_limit
    handle = c_null_ptr
    code = c_mpi_communicator_create(int(ranks, c_int), o, handle)
    if (c_associated(handle)) communicator%handle = handle
    call report(code, stat, errmsg)
  end subroutine

  include 'tridia_report.inc'
end module tridia_mpi
