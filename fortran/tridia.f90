! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> Solves many tridiagonal systems, and applies compact schemes, along an axis of Fortran's arrays.
!>
!> Arrays are real or complex, of 4 or 8 bytes an element, of any rank, and lie where they are: sections
!> with strides are not copied. `dim` counts from 1; the first axis is the fastest. `x` may be `rhs`, or
!> another input; any other overlap is refused. `stat` is 0, or the number of an error (TRIDIA_...), whose
!> sentence is in `errmsg`; without `stat` an error ends the program, as one of ALLOCATE does.
module tridia
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use tridia_c
  implicit none
  private

  integer, parameter, public :: tridia_invalid_argument = 1, tridia_unsupported = 2, &
    tridia_out_of_memory = 3, tridia_wrong_device = 4, tridia_device_failure = 5, &
    tridia_singular = 6, tridia_peer_failure = 7
  integer, parameter, public :: tridia_f32 = 0, tridia_f64 = 1, tridia_c64 = 2, tridia_c128 = 3
  integer, parameter, public :: tridia_regular = 0, tridia_periodic = 1
  integer, parameter, public :: tridia_pivoting_partial = 0, tridia_pivoting_none = 1
  integer, parameter, public :: tridia_operation_none = 0, tridia_operation_transpose = 1, &
    tridia_operation_conjugate_transpose = 2
  integer, parameter, public :: tridia_per_system = 0, tridia_shared = 1, tridia_constant = 2
  integer, parameter, public :: tridia_ragged_concatenated = 0, tridia_ragged_padded = 1, &
    tridia_ragged_packed = 2
  integer, parameter, public :: tridia_cpu = 0, tridia_cuda = 1, tridia_reference = 2
  integer, parameter, public :: tridia_automatic = 0, tridia_thomas = 1, tridia_lu = 2, &
    tridia_partition = 3, tridia_cr = 4, tridia_crnbc = 5, tridia_pcr = 6, tridia_cr_pcr = 7, &
    tridia_pcr_thomas = 8, tridia_packed_cr = 9, tridia_hierarchical = 10, tridia_neato = 11
  integer, parameter, public :: tridia_first_derivative = 0, tridia_second_derivative = 1, &
    tridia_third_derivative = 2, tridia_fourth_derivative = 3, tridia_interpolation = 4, &
    tridia_filter = 5
  integer, parameter, public :: tridia_staggering_none = 0, tridia_to_midpoints = 1, &
    tridia_to_points = 2
  integer, parameter, public :: tridia_end_closure = 0, tridia_end_symmetric = 1, &
    tridia_end_antisymmetric = 2, tridia_end_symmetric_half = 3, tridia_end_antisymmetric_half = 4
  integer, parameter, public :: tridia_gradient = 0, tridia_divergence = 1, tridia_laplacian = 2

  !> Holds a row of a constant matrix.
  type, public :: tridia_matrix_row
    complex(real64) :: dl = 0, d = 0, du = 0
  end type

  !> Describes systems, as tridia_problem of C does. Type, shape and strides are those of arrays where a
  !> plan is made for arrays, and are given here where it is made for addresses.
  type, public :: tridia_problem
    integer :: type = tridia_f64
    integer(int64), allocatable :: shape(:)  !< As SHAPE(x) says.
    integer :: dim = 1                       !< The systems lie along this axis.
    integer(int64) :: right_hand_sides = 1
    integer :: boundary = tridia_regular
    integer :: pivoting = tridia_pivoting_partial
    integer :: operation = tridia_operation_none
    integer :: coefficients = tridia_per_system
    logical :: short_off_diagonals = .false.
    !> Strides count elements, for the axes of `shape`; not allocated means dense.
    integer(int64), allocatable :: dl_strides(:), d_strides(:), du_strides(:)
    integer(int64), allocatable :: rhs_strides(:), x_strides(:)
    integer(int64) :: rhs_step = 0, x_step = 0
    !> Of a ragged batch: offsets from 0, one more than systems; and where its rows lie.
    integer(int64), allocatable :: offsets(:)
    integer :: ragged_layout = tridia_ragged_concatenated
    !> The matrix of tridia_constant.
    type(tridia_matrix_row) :: interior
    type(tridia_matrix_row), allocatable :: head(:), tail(:)
  end type

  !> Says where and how a plan runs, as tridia_options of C does.
  type, public :: tridia_options
    integer :: backend = tridia_cpu
    integer :: algorithm = tridia_automatic
    integer :: threads = 0   !< 0: all that OpenMP offers.
    integer :: device = -1   !< -1: the current GPU.
    integer :: switch_point = 0, packing_depth = 0, transformation = 0, neato_memory = 0
    type(c_ptr) :: tuning = c_null_ptr  !< A tridia_tuning of C.
  end type

  !> Prepares systems so that they can be solved many times. Copies are the same plan: destroy one.
  type, public :: tridia_plan
    type(c_ptr) :: handle = c_null_ptr  !< The tridia_plan of C.
  contains
    procedure :: create => plan_create
    procedure :: create_for => plan_create_for
    procedure :: create_constant => plan_create_constant
    procedure :: execute => plan_execute
    procedure :: execute_constant => plan_execute_constant
    procedure :: execute_addresses => plan_execute_addresses
    procedure :: factor => plan_factor
    procedure :: solve => plan_solve
    procedure :: destroy => plan_destroy
    procedure :: reason => plan_reason
    procedure :: algorithm => plan_algorithm
    procedure :: systems => plan_systems
    procedure :: workspace_bytes => plan_workspace_bytes
    procedure :: factors_bytes => plan_factors_bytes
  end type

  !> Applies a compact scheme along an axis, many times.
  type, public :: tridia_operator
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create_for => operator_create_for
    procedure :: apply => operator_apply
    procedure :: apply_add => operator_apply_add
    procedure :: destroy => operator_destroy
  end type

  !> Describes a term of a differential operator: `factor` times the operator of a scheme along an axis. From
  !> `type` on it says where the arrays lie, which is read only where the operator is made for addresses.
  type, public :: tridia_differential_term
    character(64) :: scheme = ''             !< The name of a scheme, "C6" say.
    integer :: dim = 1                       !< The lines lie along this axis.
    real(real64) :: spacing = 1, factor = 1
    integer :: quantity = tridia_first_derivative, staggering = tridia_staggering_none
    character(64) :: closure = ''            !< The name of a closure, "3-4-6-4-3" say; blank: the default.
    integer :: boundary = tridia_regular
    integer :: head = tridia_end_closure, tail = tridia_end_closure
    integer :: operation = tridia_operation_none
    real(real64) :: alpha_f = 0.45_real64    !< The parameter of filters.
    real(real64), allocatable :: metric(:)   !< dx/dxi at each result of a line of a stretched grid.
    integer :: type = tridia_f64
    integer(int64), allocatable :: shape(:)  !< The shape of what is read; of an adjoint, of what it writes.
    !> Strides count elements, for the axes of `shape`; not allocated means dense.
    integer(int64), allocatable :: in_strides(:), out_strides(:)
    integer(int64) :: fields = 1             !< The number of fields per call.
    !> Steps count elements from one field to the next; 0: one dense array after another.
    integer(int64) :: in_step = 0, out_step = 0
  end type

  !> Applies compact schemes along several axes in one call, many times: a gradient (one field, a result for
  !> each term), a divergence (a field for each term, one result: their sum), or a Laplacian (one field, one
  !> result: the sum, of whatever terms). Copies are the same operator: destroy one.
  type, public :: tridia_differential_operator
    type(c_ptr) :: handle = c_null_ptr  !< The tridia_differential_operator of C.
    type(c_field_layout), allocatable, private :: made_for(:)
  contains
    procedure :: create => differential_create
    procedure :: create_for => differential_create_for
    procedure :: apply => differential_apply
    procedure :: apply_add => differential_apply_add
    procedure :: apply_addresses => differential_apply_addresses
    procedure :: apply_add_addresses => differential_apply_add_addresses
    procedure :: destroy => differential_destroy
    procedure :: kind => differential_kind
    procedure :: term_count => differential_term_count
    procedure :: in_count => differential_in_count
    procedure :: out_count => differential_out_count
    procedure :: in_shape => differential_in_shape
    procedure :: out_shape => differential_out_shape
    procedure :: backend => differential_backend
    procedure :: device => differential_device
    procedure :: threads => differential_threads
    procedure :: workspace_bytes => differential_workspace_bytes
    procedure :: warning => differential_warning
    procedure :: description => differential_description
  end type

  public :: tridia_solve

  integer, parameter :: message_size = 1024

contains

  !> Solves along axis `dim` of `rhs` and `x`, which have one shape. A coefficient has that shape too, or 1
  !> instead of another extent, or is of rank 1 (one matrix for all); both off-diagonals may be one shorter.
  !> Where the coefficients have rank 2 or more and one axis less than x, the last axis of x is that of
  !> right-hand sides. `status` has an entry for each system, the first batch axis fastest: 0, LAPACK's
  !> info, or -row; without it a singular system is the error tridia_singular.
  subroutine tridia_solve(dl, d, du, rhs, x, dim, boundary, pivoting, operation, options, status, &
      stat, errmsg)
    type(*), dimension(..), target, intent(in) :: dl, d, du, rhs
    type(*), dimension(..), target, intent(inout) :: x
    integer, optional, intent(in) :: dim, boundary, pivoting, operation
    type(tridia_options), optional, intent(in) :: options
    integer(int64), optional, target, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    type(c_ptr) :: at
    integer(int64) :: count
    at = c_null_ptr
    count = 0
    if (present(status)) count = size(status, kind=int64)
    if (count > 0) at = c_loc(status)
    call report(c_solve(base_problem(boundary, pivoting, operation), as_c(options), dl, d, du, rhs, &
      x, int_or(dim, 1), at, count, message), stat, errmsg, message)
  end subroutine

  !> Makes a plan of a problem that has its shape.
  subroutine plan_create(self, problem, options, stat, errmsg)
    class(tridia_plan), intent(inout) :: self
    type(tridia_problem), intent(in) :: problem
    type(tridia_options), optional, intent(in) :: options
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    type(c_ptr) :: handle
    type(c_problem) :: p
    integer(int64), allocatable, target :: shape(:), offsets(:), strides(:, :)
    type(c_matrix_row), allocatable, target :: head(:), tail(:)
    integer :: rank
    rank = 0
    if (allocated(problem%shape)) rank = size(problem%shape)
    allocate (shape(max(rank, 1)))
    if (rank > 0) shape(1:rank) = problem%shape(rank:1:-1)
    p = base_problem(problem%boundary, problem%pivoting, problem%operation)
    p%type = problem%type
    p%rank = rank
    p%extents = c_loc(shape)
    p%axis = rank - problem%dim
    if (rank > 0 .and. (problem%dim < 1 .or. problem%dim > rank)) then
      call fail(tridia_invalid_argument, 'dim: is not from 1 to the rank of the field', stat, errmsg)
      return
    end if
    p%right_hand_sides = problem%right_hand_sides
    p%coefficients = problem%coefficients
    p%short_off_diagonals = merge(1, 0, problem%short_off_diagonals)
    allocate (strides(max(rank, 1), 5))
    call put(problem%dl_strides, 1, p%dl_strides)
    call put(problem%d_strides, 2, p%d_strides)
    call put(problem%du_strides, 3, p%du_strides)
    call put(problem%rhs_strides, 4, p%rhs_strides)
    call put(problem%x_strides, 5, p%x_strides)
    p%rhs_step = problem%rhs_step
    p%x_step = problem%x_step
    if (allocated(problem%offsets)) then
      allocate (offsets, source=problem%offsets)
      p%offsets = c_loc(offsets)
      p%offset_count = size(offsets, kind=int64)
    end if
    p%ragged_layout = problem%ragged_layout
    p%interior = row_of(problem%interior)
    if (allocated(problem%head)) call set_rows(problem%head, head, p%head, p%head_count)
    if (allocated(problem%tail)) call set_rows(problem%tail, tail, p%tail, p%tail_count)
    handle = c_null_ptr
    call report(c_plan_create(p, as_c(options), handle), stat, errmsg)
    if (c_associated(handle)) self%handle = handle
  contains
    !> Puts strides that are given where C finds them.
    subroutine put(from, k, at)
      integer(int64), allocatable, intent(in) :: from(:)
      integer, intent(in) :: k
      type(c_ptr), intent(inout) :: at
      if (.not. allocated(from)) return
      if (size(from) /= rank) then
        p%rank = -1  ! refused there
        return
      end if
      strides(1:rank, k) = from(rank:1:-1)
      at = c_loc(strides(1, k))
    end subroutine
  end subroutine

  !> Makes a plan for arrays of these shapes and strides; none of their elements is read.
  subroutine plan_create_for(self, dl, d, du, rhs, x, dim, boundary, pivoting, operation, options, &
      stat, errmsg)
    class(tridia_plan), intent(inout) :: self
    type(*), dimension(..), target, intent(in) :: dl, d, du, rhs, x
    integer, optional, intent(in) :: dim, boundary, pivoting, operation
    type(tridia_options), optional, intent(in) :: options
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    type(c_ptr) :: handle
    handle = c_null_ptr
    call report(c_plan_for(base_problem(boundary, pivoting, operation), as_c(options), dl, d, du, &
      rhs, x, int_or(dim, 1), handle, message), stat, errmsg, message)
    if (c_associated(handle)) self%handle = handle
  end subroutine

  !> Makes a plan of one constant matrix for arrays of these shapes and strides.
  subroutine plan_create_constant(self, rhs, x, interior, dim, boundary, operation, head, tail, &
      options, stat, errmsg)
    class(tridia_plan), intent(inout) :: self
    type(*), dimension(..), target, intent(in) :: rhs, x
    type(tridia_matrix_row), intent(in) :: interior
    integer, optional, intent(in) :: dim, boundary, operation
    type(tridia_matrix_row), optional, intent(in) :: head(:), tail(:)
    type(tridia_options), optional, intent(in) :: options
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    type(c_matrix_row), allocatable, target :: first(:), last(:)
    type(c_problem) :: p
    type(c_ptr) :: handle
    call set_constant(p, boundary, operation, interior, head, tail, first, last)
    handle = c_null_ptr
    call report(c_plan_for(p, as_c(options), rhs=rhs, x=x, dim=int_or(dim, 1), plan=handle, &
      message=message), stat, errmsg, message)
    if (c_associated(handle)) self%handle = handle
  end subroutine

  !> Solves every system. The arrays have the shapes and strides that the plan was made for. Without a
  !> workspace (of workspace_bytes()) one is allocated for the call.
  subroutine plan_execute(self, dl, d, du, rhs, x, workspace, status, stat, errmsg)
    class(tridia_plan), intent(in) :: self
    type(*), dimension(..), target, intent(in) :: dl, d, du, rhs
    type(*), dimension(..), target, intent(inout) :: x
    integer(int8), optional, target, contiguous, intent(inout) :: workspace(:)
    integer(int64), optional, target, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    if (too_few(status, self%systems(), stat, errmsg)) return
    call report(c_execute(self%handle, dl, d, du, rhs, x, execution_of(workspace, status), message), &
      stat, errmsg, message)
  end subroutine

  !> Solves every system of a constant matrix.
  subroutine plan_execute_constant(self, rhs, x, workspace, status, stat, errmsg)
    class(tridia_plan), intent(in) :: self
    type(*), dimension(..), target, intent(in) :: rhs
    type(*), dimension(..), target, intent(inout) :: x
    integer(int8), optional, target, contiguous, intent(inout) :: workspace(:)
    integer(int64), optional, target, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    if (too_few(status, self%systems(), stat, errmsg)) return
    call report(c_execute(self%handle, rhs=rhs, x=x, e=execution_of(workspace, status), &
      message=message), stat, errmsg, message)
  end subroutine

  !> Solves every system of arrays that are known by their addresses alone, in the memory of a GPU (from
  !> OpenACC's host_data, or CUDA Fortran's device arrays). `workspace` and `status` are addresses there,
  !> `stream` is a cudaStream_t; nothing waits for the work.
  subroutine plan_execute_addresses(self, dl, d, du, rhs, x, workspace, bytes, status, stream, stat, &
      errmsg)
    class(tridia_plan), intent(in) :: self
    type(*), dimension(*), target, intent(in) :: dl, d, du, rhs
    type(*), dimension(*), target, intent(inout) :: x
    type(c_ptr), intent(in) :: workspace
    integer(int64), intent(in) :: bytes
    type(c_ptr), optional, intent(in) :: status, stream
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    call report(c_plan_execute(self%handle, dl, d, du, rhs, x, &
      execution_at(workspace, bytes, status, stream)), stat, errmsg)
  end subroutine

  !> Factors every matrix into `factors`, of factors_bytes() bytes.
  subroutine plan_factor(self, dl, d, du, factors, workspace, status, stat, errmsg)
    class(tridia_plan), intent(in) :: self
    type(*), dimension(..), target, intent(in) :: dl, d, du
    integer(int8), contiguous, intent(inout) :: factors(:)
    integer(int8), optional, target, contiguous, intent(inout) :: workspace(:)
    integer(int64), optional, target, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    if (too_few(status, self%systems(), stat, errmsg)) return
    if (too_short(factors, self%factors_bytes(), stat, errmsg)) return
    call report(c_factor(self%handle, dl, d, du, factors, execution_of(workspace, status), message), &
      stat, errmsg, message)
  end subroutine

  !> Solves with factors that `factor` has filled.
  subroutine plan_solve(self, factors, rhs, x, workspace, status, stat, errmsg)
    class(tridia_plan), intent(in) :: self
    integer(int8), contiguous, intent(in) :: factors(:)
    type(*), dimension(..), target, intent(in) :: rhs
    type(*), dimension(..), target, intent(inout) :: x
    integer(int8), optional, target, contiguous, intent(inout) :: workspace(:)
    integer(int64), optional, target, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    if (too_few(status, self%systems(), stat, errmsg)) return
    if (too_short(factors, self%factors_bytes(), stat, errmsg)) return
    call report(c_solve_factored(self%handle, factors, rhs, x, execution_of(workspace, status), &
      message), stat, errmsg, message)
  end subroutine

  !> Destroys the plan, and with it all copies.
  subroutine plan_destroy(self, stat, errmsg)
    class(tridia_plan), intent(inout) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    call report(c_plan_destroy(self%handle), stat, errmsg)
    self%handle = c_null_ptr
  end subroutine

  !> Returns a sentence that says why the plan uses its algorithm.
  function plan_reason(self) result(text)
    class(tridia_plan), intent(in) :: self
    character(:), allocatable :: text
    type(c_ptr) :: at
    text = ''
    if (c_plan_reason(self%handle, at) == 0) text = text_of(at)
  end function

  !> Returns the algorithm that the plan uses; -1 if there is no plan.
  integer function plan_algorithm(self) result(value)
    class(tridia_plan), intent(in) :: self
    integer(c_int) :: found
    value = -1
    if (c_plan_algorithm(self%handle, found) == 0) value = found
  end function

  !> Returns the number of systems: the entries of a status. It is -1 if there is no plan.
  integer(int64) function plan_systems(self) result(value)
    class(tridia_plan), intent(in) :: self
    integer(c_int64_t) :: found
    value = -1
    if (c_plan_systems(self%handle, found) == 0) value = found
  end function

  !> Returns the bytes of workspace that an execution needs; -1 if there is no plan.
  integer(int64) function plan_workspace_bytes(self) result(value)
    class(tridia_plan), intent(in) :: self
    integer(c_size_t) :: found
    value = -1
    if (c_plan_bytes(self%handle, found) == 0) value = int(found, int64)
  end function

  !> Returns the bytes that `factor` fills; 0 where the algorithm saves no factors, -1 if there is no plan.
  integer(int64) function plan_factors_bytes(self) result(value)
    class(tridia_plan), intent(in) :: self
    integer(c_size_t) :: found
    value = -1
    if (c_factors_bytes(self%handle, found) == 0) value = int(found, int64)
  end function

  include 'tridia_operator.inc'
  include 'tridia_differential.inc'
  include 'tridia_private.inc'
  include 'tridia_report.inc'
  include 'tridia_plan_private.inc'
end module tridia
