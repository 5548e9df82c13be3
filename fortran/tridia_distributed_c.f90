! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> This module has the structs and functions of the C interface that module tridia_distributed stands on.
module tridia_distributed_c
  use, intrinsic :: iso_c_binding
  use tridia_c
  implicit none
  public

  !> These mirror the structs of tridia/c/distributed.h.
  type, bind(C) :: c_communicator_options
    integer(c_size_t) :: struct_size = 0
    real(c_double) :: time_limit = 60
    integer(c_int) :: peer_memory = 1, reserved = 0
  end type

  type, bind(C) :: c_distributed_plan_options
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: strategy = 0, statuses = 1
    real(c_double) :: tolerance = 0, neglected_coupling = -1
    integer(c_size_t) :: interface_bytes = 67108864
    integer(c_int) :: threads = 0, timings = 0
  end type

  type, bind(C) :: c_distributed_operator_options
    integer(c_size_t) :: struct_size = 0
    real(c_double) :: tolerance = 0
    integer(c_int) :: threads = 0, slabs = 1
    integer(c_int) :: strategy = 0, timings = 0
  end type

  interface
    integer(c_int) function c_decomposition_create(rank, extents, ranks, cuts) &
        bind(C, name="tridia_decomposition_create")
      import
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: extents(*)
      integer(c_int), intent(in) :: ranks(*)
      type(c_ptr), intent(inout) :: cuts
    end function

    integer(c_int) function c_decomposition_destroy(cuts) bind(C, name="tridia_decomposition_destroy")
      import
      type(c_ptr), value :: cuts
    end function

    integer(c_int) function c_decomposition_shape(cuts, rank, size) &
        bind(C, name="tridia_decomposition_shape")
      import
      type(c_ptr), value :: cuts
      integer(c_int), intent(inout) :: rank, size
    end function

    integer(c_int) function c_decomposition_block(cuts, of_rank, begin, extents) &
        bind(C, name="tridia_decomposition_block")
      import
      type(c_ptr), value :: cuts
      integer(c_int), value :: of_rank
      integer(c_int64_t), intent(inout) :: begin(*), extents(*)
    end function

    !> Is in the library of MPI, which module tridia_mpi alone needs; an MPI_Fint is an int.
    integer(c_int) function c_mpi_communicator_create(ranks, options, communicator) &
        bind(C, name="tridia_mpi_communicator_create_f")
      import
      integer(c_int), value :: ranks
      type(c_communicator_options), intent(in) :: options
      type(c_ptr), intent(inout) :: communicator
    end function

    integer(c_int) function c_communicator_destroy(ranks) bind(C, name="tridia_communicator_destroy")
      import
      type(c_ptr), value :: ranks
    end function

    integer(c_int) function c_communicator_rank(ranks, rank) bind(C, name="tridia_communicator_rank")
      import
      type(c_ptr), value :: ranks
      integer(c_int), intent(inout) :: rank
    end function

    integer(c_int) function c_communicator_size(ranks, size) bind(C, name="tridia_communicator_size")
      import
      type(c_ptr), value :: ranks
      integer(c_int), intent(inout) :: size
    end function

    integer(c_int) function c_distributed_plan_for(cuts, ranks, base, options, dl, d, du, rhs, x, dim, &
        plan, message) bind(C, name="tridia_fortran_distributed_plan_for")
      import
      type(c_ptr), value :: cuts, ranks
      type(c_problem), intent(in) :: base
      type(c_distributed_plan_options), intent(in) :: options
      type(*), dimension(..), target, optional, intent(in) :: dl, d, du
      type(*), dimension(..), target, intent(in) :: rhs, x
      integer(c_int), value :: dim
      type(c_ptr), intent(inout) :: plan
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_distributed_start(plan, dl, d, du, rhs, x, e, message) &
        bind(C, name="tridia_fortran_distributed_start")
      import
      type(c_ptr), value :: plan
      type(*), dimension(..), target, optional, intent(in) :: dl, d, du
      type(*), dimension(..), target, intent(in) :: rhs
      type(*), dimension(..), target, intent(inout) :: x
      type(c_execution), intent(in) :: e
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_distributed_finish(plan, message) &
        bind(C, name="tridia_fortran_distributed_finish")
      import
      type(c_ptr), value :: plan
      character(kind=c_char), intent(inout) :: message(*)
    end function

    function c_distributed_plan(held) bind(C, name="tridia_fortran_distributed_plan") result(plan)
      import
      type(c_ptr), value :: held
      type(c_ptr) :: plan
    end function

    integer(c_int) function c_distributed_plan_destroy(plan) &
        bind(C, name="tridia_fortran_distributed_plan_destroy")
      import
      type(c_ptr), value :: plan
    end function

    integer(c_int) function c_distributed_reason(plan, text) &
        bind(C, name="tridia_distributed_plan_reason")
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: text
    end function

    integer(c_int) function c_distributed_strategy(plan, value) &
        bind(C, name="tridia_distributed_plan_strategy")
      import
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_distributed_systems(plan, value) &
        bind(C, name="tridia_distributed_plan_systems")
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(inout) :: value
    end function

    integer(c_int) function c_distributed_operator_for(cuts, ranks, base, options, choice, in, out, dim, &
        op, message) bind(C, name="tridia_fortran_distributed_operator_for")
      import
      type(c_ptr), value :: cuts, ranks
      type(c_grid), intent(in) :: base
      type(c_distributed_operator_options), intent(in) :: options
      type(c_scheme_choice), intent(in) :: choice
      type(*), dimension(..), target, intent(in) :: in, out
      integer(c_int), value :: dim
      type(c_ptr), intent(inout) :: op
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_distributed_apply_start(op, s, in, out, message) &
        bind(C, name="tridia_fortran_distributed_apply_start")
      import
      type(c_ptr), value :: op, s
      type(*), dimension(..), target, intent(in) :: in
      type(*), dimension(..), target, intent(inout) :: out
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_distributed_apply_finish(op, message) &
        bind(C, name="tridia_fortran_distributed_apply_finish")
      import
      type(c_ptr), value :: op
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_distributed_operator_destroy(op) &
        bind(C, name="tridia_fortran_distributed_operator_destroy")
      import
      type(c_ptr), value :: op
    end function

    integer(c_int) function c_halo_for(cuts, ranks, field, before, after, periodic, count, exchange, &
        message) bind(C, name="tridia_fortran_halo_for")
      import
      type(c_ptr), value :: cuts, ranks
      type(*), dimension(..), target, intent(in) :: field
      integer(c_int), intent(in) :: before(*), after(*), periodic(*)
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: exchange
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_halo_start(exchange, field, message) bind(C, name="tridia_fortran_halo_start")
      import
      type(c_ptr), value :: exchange
      type(*), dimension(..), target, intent(inout) :: field
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_halo_finish(exchange, message) bind(C, name="tridia_fortran_halo_finish")
      import
      type(c_ptr), value :: exchange
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_halo_destroy(exchange) bind(C, name="tridia_fortran_halo_destroy")
      import
      type(c_ptr), value :: exchange
    end function
  end interface
end module tridia_distributed_c
