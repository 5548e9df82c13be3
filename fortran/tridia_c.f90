! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> This module has the structs and functions of the C interface that module tridia stands on.
module tridia_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  !> C's arrays have at most this many axes.
  integer, parameter :: max_rank = 32

  !> These mirror the structs of tridia/c/plan.h and tridia/c/operator.h.
  type, bind(C) :: c_matrix_row
    real(c_double) :: dl(2) = 0, d(2) = 0, du(2) = 0
  end type

  type, bind(C) :: c_problem
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: type = 1, rank = 0
    type(c_ptr) :: extents = c_null_ptr
    integer(c_int) :: axis = -1, boundary = 0
    integer(c_int64_t) :: right_hand_sides = 1
    integer(c_int) :: pivoting = 0, operation = 0, coefficients = 0, short_off_diagonals = 0
    type(c_ptr) :: dl_strides = c_null_ptr, d_strides = c_null_ptr, du_strides = c_null_ptr
    type(c_ptr) :: rhs_strides = c_null_ptr, x_strides = c_null_ptr
    integer(c_int64_t) :: rhs_step = 0, x_step = 0
    type(c_ptr) :: offsets = c_null_ptr
    integer(c_int64_t) :: offset_count = 0
    integer(c_int) :: ragged_layout = 0
    type(c_matrix_row) :: interior
    type(c_ptr) :: head = c_null_ptr
    integer(c_int64_t) :: head_count = 0
    type(c_ptr) :: tail = c_null_ptr
    integer(c_int64_t) :: tail_count = 0
  end type

  type, bind(C) :: c_options
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: backend = 0, algorithm = 0, threads = 0, device = -1
    type(c_ptr) :: tuning = c_null_ptr
    integer(c_int) :: switch_point = 0, packing_depth = 0, transformation = 0, neato_memory = 0
  end type

  type, bind(C) :: c_execution
    integer(c_size_t) :: struct_size = 0
    type(c_ptr) :: workspace = c_null_ptr
    integer(c_size_t) :: workspace_bytes = 0
    type(c_ptr) :: status = c_null_ptr, stream = c_null_ptr
  end type

  type, bind(C) :: c_grid
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: type = 1, rank = 0
    type(c_ptr) :: extents = c_null_ptr
    integer(c_int) :: axis = -1, boundary = 0
    real(c_double) :: spacing = 1
    integer(c_int) :: head = 0, tail = 0
    type(c_ptr) :: metric = c_null_ptr
    integer(c_int64_t) :: metric_count = 0, fields = 1
    integer(c_int) :: operation = 0, reserved = 0
    type(c_ptr) :: in_strides = c_null_ptr, out_strides = c_null_ptr
    integer(c_int64_t) :: in_step = 0, out_step = 0
  end type

  type, bind(C) :: c_scheme_choice
    integer(c_int) :: quantity = 0, staggering = 0
    real(c_double) :: alpha_f = 0.45_c_double
    type(c_ptr) :: scheme = c_null_ptr, closure = c_null_ptr
  end type

  !> These two mirror the structs of tridia_descriptors.c and tridia_field_lists.h.
  type, bind(C) :: c_term_choice
    type(c_scheme_choice) :: scheme
    type(c_grid) :: grid
    real(c_double) :: factor = 1
    integer(c_int) :: dim = 1
  end type

  type, bind(C) :: c_field_layout
    integer(c_int) :: type = 0, rank = 0
    integer(c_int64_t) :: extents(max_rank) = 0, strides(max_rank) = 0
  end type

  interface
    integer(c_int) function c_solve(base, options, dl, d, du, rhs, x, dim, status, status_count, &
        message) bind(C, name="tridia_fortran_solve")
      import
      type(c_problem), intent(in) :: base
      type(c_options), intent(in) :: options
      type(*), dimension(..), target, intent(in) :: dl, d, du, rhs
      type(*), dimension(..), target, intent(inout) :: x
      integer(c_int), value :: dim
      type(c_ptr), value :: status
      integer(c_int64_t), value :: status_count
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_plan_for(base, options, dl, d, du, rhs, x, dim, plan, message) &
        bind(C, name="tridia_fortran_plan_for")
      import
      type(c_problem), intent(in) :: base
      type(c_options), intent(in) :: options
      type(*), dimension(..), target, optional, intent(in) :: dl, d, du
      type(*), dimension(..), target, intent(in) :: rhs, x
      integer(c_int), value :: dim
      type(c_ptr), intent(inout) :: plan
      character(kind=c_char), intent(inout) :: message(*)
    end function

    !> Has no coefficients where they are constant.
    integer(c_int) function c_execute(plan, dl, d, du, rhs, x, e, message) &
        bind(C, name="tridia_fortran_execute")
      import
      type(c_ptr), value :: plan
      type(*), dimension(..), target, optional, intent(in) :: dl, d, du
      type(*), dimension(..), target, intent(in) :: rhs
      type(*), dimension(..), target, intent(inout) :: x
      type(c_execution), intent(in) :: e
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_factor(plan, dl, d, du, factors, e, message) &
        bind(C, name="tridia_fortran_factor")
      import
      type(c_ptr), value :: plan
      type(*), dimension(..), target, intent(in) :: dl, d, du
      integer(c_int8_t), intent(inout) :: factors(*)
      type(c_execution), intent(in) :: e
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_solve_factored(plan, factors, rhs, x, e, message) &
        bind(C, name="tridia_fortran_solve_factored")
      import
      type(c_ptr), value :: plan
      integer(c_int8_t), intent(in) :: factors(*)
      type(*), dimension(..), target, intent(in) :: rhs
      type(*), dimension(..), target, intent(inout) :: x
      type(c_execution), intent(in) :: e
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_operator_for(base, options, choice, in, out, dim, op, message) &
        bind(C, name="tridia_fortran_operator_for")
      import
      type(c_grid), intent(in) :: base
      type(c_options), intent(in) :: options
      type(c_scheme_choice), intent(in) :: choice
      type(*), dimension(..), target, intent(in) :: in, out
      integer(c_int), value :: dim
      type(c_ptr), intent(inout) :: op
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_apply(op, s, in, out, e, message) bind(C, name="tridia_fortran_apply")
      import
      type(c_ptr), value :: op, s, e
      type(*), dimension(..), target, intent(in) :: in
      type(*), dimension(..), target, intent(inout) :: out
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_differential_create(kind, terms, count, options, op, message) &
        bind(C, name="tridia_fortran_differential_create")
      import
      integer(c_int), value :: kind, count
      type(c_term_choice), intent(in) :: terms(*)
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: op
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_differential_for(kind, terms, count, options, in, in2, in3, in4, in5, in6, &
        out, out2, out3, out4, out5, out6, op, made_for, message) &
        bind(C, name="tridia_fortran_differential_for")
      import
      integer(c_int), value :: kind, count
      type(c_term_choice), intent(inout) :: terms(*)
      type(c_options), intent(in) :: options
      type(*), dimension(..), target, intent(in) :: in, out
      type(*), dimension(..), target, optional, intent(in) :: in2, in3, in4, in5, in6
      type(*), dimension(..), target, optional, intent(in) :: out2, out3, out4, out5, out6
      type(c_ptr), intent(inout) :: op
      type(c_field_layout), intent(inout) :: made_for(*)
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_differential_apply(op, s, in, in2, in3, in4, in5, in6, out, out2, out3, &
        out4, out5, out6, e, made_for, count, message) bind(C, name="tridia_fortran_differential_apply")
      import
      type(c_ptr), value :: op, s, e
      type(*), dimension(..), target, intent(in) :: in
      type(*), dimension(..), target, optional, intent(in) :: in2, in3, in4, in5, in6
      type(*), dimension(..), target, intent(inout) :: out
      type(*), dimension(..), target, optional, intent(inout) :: out2, out3, out4, out5, out6
      type(c_field_layout), intent(in) :: made_for(*)
      integer(c_int), value :: count
      character(kind=c_char), intent(inout) :: message(*)
    end function

    integer(c_int) function c_plan_create(problem, options, plan) bind(C, name="tridia_plan_create")
      import
      type(c_problem), intent(in) :: problem
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: plan
    end function

    !> Takes addresses as they are: of a GPU's memory, say.
    integer(c_int) function c_plan_execute(plan, dl, d, du, rhs, x, e) &
        bind(C, name="tridia_plan_execute")
      import
      type(c_ptr), value :: plan
      type(*), dimension(*), target, intent(in) :: dl, d, du, rhs
      type(*), dimension(*), target, intent(inout) :: x
      type(c_execution), intent(in) :: e
    end function

    integer(c_int) function c_plan_destroy(plan) bind(C, name="tridia_plan_destroy")
      import
      type(c_ptr), value :: plan
    end function

    integer(c_int) function c_operator_destroy(op) bind(C, name="tridia_operator_destroy")
      import
      type(c_ptr), value :: op
    end function

    integer(c_int) function c_differential_destroy(op) &
        bind(C, name="tridia_differential_operator_destroy")
      import
      type(c_ptr), value :: op
    end function

    integer(c_int) function c_differential_apply_addresses(op, in, out, e) &
        bind(C, name="tridia_differential_operator_apply")
      import
      type(c_ptr), value :: op
      type(c_ptr), intent(in) :: in(*), out(*)
      type(c_execution), intent(in) :: e
    end function

    integer(c_int) function c_differential_add_addresses(op, s, in, out, e) &
        bind(C, name="tridia_differential_operator_apply_add")
      import
      type(c_ptr), value :: op
      real(c_double), value :: s
      type(c_ptr), intent(in) :: in(*), out(*)
      type(c_execution), intent(in) :: e
    end function

    integer(c_int) function c_differential_term_count(op, value) &
        bind(C, name="tridia_differential_operator_term_count")
      import
      type(c_ptr), value :: op
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_differential_in_count(op, value) &
        bind(C, name="tridia_differential_operator_in_count")
      import
      type(c_ptr), value :: op
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_differential_out_count(op, value) &
        bind(C, name="tridia_differential_operator_out_count")
      import
      type(c_ptr), value :: op
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_differential_kind(op, value) &
        bind(C, name="tridia_differential_operator_kind")
      import
      type(c_ptr), value :: op
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_differential_backend(op, value) &
        bind(C, name="tridia_differential_operator_backend")
      import
      type(c_ptr), value :: op
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_differential_device(op, value) &
        bind(C, name="tridia_differential_operator_device")
      import
      type(c_ptr), value :: op
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_differential_threads(op, value) &
        bind(C, name="tridia_differential_operator_threads")
      import
      type(c_ptr), value :: op
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_differential_bytes(op, value) &
        bind(C, name="tridia_differential_operator_workspace_bytes")
      import
      type(c_ptr), value :: op
      integer(c_size_t), intent(inout) :: value
    end function

    integer(c_int) function c_differential_warning(op, text) &
        bind(C, name="tridia_differential_operator_warning")
      import
      type(c_ptr), value :: op
      type(c_ptr), intent(inout) :: text
    end function

    integer(c_int) function c_differential_description(op, text) &
        bind(C, name="tridia_differential_operator_description")
      import
      type(c_ptr), value :: op
      type(c_ptr), intent(inout) :: text
    end function

    integer(c_int) function c_differential_in_extents(op, term, extents, rank) &
        bind(C, name="tridia_differential_operator_in_extents")
      import
      type(c_ptr), value :: op
      integer(c_int), value :: term
      type(c_ptr), intent(inout) :: extents
      integer(c_int), intent(inout) :: rank
    end function

    integer(c_int) function c_differential_out_extents(op, term, extents, rank) &
        bind(C, name="tridia_differential_operator_out_extents")
      import
      type(c_ptr), value :: op
      integer(c_int), value :: term
      type(c_ptr), intent(inout) :: extents
      integer(c_int), intent(inout) :: rank
    end function

    integer(c_int) function c_plan_reason(plan, text) bind(C, name="tridia_plan_reason")
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: text
    end function

    integer(c_int) function c_plan_algorithm(plan, value) bind(C, name="tridia_plan_algorithm")
      import
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: value
    end function

    integer(c_int) function c_plan_systems(plan, value) bind(C, name="tridia_plan_systems")
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(inout) :: value
    end function

    integer(c_int) function c_plan_bytes(plan, value) bind(C, name="tridia_plan_workspace_bytes")
      import
      type(c_ptr), value :: plan
      integer(c_size_t), intent(inout) :: value
    end function

    integer(c_int) function c_factors_bytes(plan, value) bind(C, name="tridia_plan_factors_bytes")
      import
      type(c_ptr), value :: plan
      integer(c_size_t), intent(inout) :: value
    end function

    function c_last_error() bind(C, name="tridia_last_error") result(text)
      import
      type(c_ptr) :: text
    end function

    integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
      import
      type(c_ptr), value :: text
    end function
  end interface
end module tridia_c
