! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> Solves and differentiates lines of fields that are spread over ranks, each of which has a block.
!>
!> Arrays, `dim`, `stat` and `errmsg` are as in module tridia; ranks are counted from 0, as MPI does, and
!> are numbered as elements of an array: those along the first axis follow one another. All ranks make
!> a plan, an operator or a halo exchange together, and execute it together; a failure of one is
!> TRIDIA_PEER_FAILURE on the others, within the time limit of their communicator. Module tridia_mpi
!> makes communicators.
module tridia_distributed
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use tridia
  use tridia_c
  use tridia_distributed_c
  implicit none
  private

  integer, parameter, public :: tridia_strategy_automatic = 0, tridia_strategy_gather = 1, &
    tridia_strategy_allgather = 2, tridia_strategy_pcr = 3, tridia_strategy_all_to_all = 4, &
    tridia_strategy_nearest = 5

  !> Describes the ranks that work together.
  type, public :: tridia_communicator
    type(c_ptr) :: handle = c_null_ptr  !< The tridia_communicator of C.
  contains
    procedure :: rank => communicator_rank
    procedure :: size => communicator_size
    procedure :: destroy => communicator_destroy
  end type

  !> Describes how planes cut a global array into one block for each rank.
  type, public :: tridia_decomposition
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => decomposition_create
    procedure :: block => decomposition_block
    procedure :: destroy => decomposition_destroy
  end type

  !> Says how a plan works across ranks, as tridia_distributed_plan_options of C does.
  type, public :: tridia_distributed_options
    integer :: strategy = tridia_strategy_automatic
    logical :: statuses = .true.             !< Ranks tell each other which lines have failed.
    real(real64) :: tolerance = 0            !< Bounds what tridia_strategy_nearest may neglect.
    real(real64) :: neglected_coupling = -1  !< What it would neglect, where it is known.
    integer(int64) :: interface_bytes = 67108864
    integer :: threads = 0
  end type

  !> Solves lines that cross ranks, many times. Copies are the same plan: destroy one.
  type, public :: tridia_distributed_plan
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create_for => plan_create_for
    procedure :: create_constant => plan_create_constant
    procedure :: execute => plan_execute
    procedure :: execute_constant => plan_execute_constant
    procedure :: start => plan_start
    procedure :: start_constant => plan_start_constant
    procedure :: finish => plan_finish
    procedure :: destroy => plan_destroy
    procedure :: reason => plan_reason
    procedure :: strategy => plan_strategy
    procedure :: systems => plan_systems
  end type

  !> Applies a compact scheme along lines that cross ranks, many times.
  type, public :: tridia_distributed_operator
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create_for => operator_create_for
    procedure :: apply => operator_apply
    procedure :: apply_add => operator_apply_add
    procedure :: start => operator_start
    procedure :: start_add => operator_start_add
    procedure :: finish => operator_finish
    procedure :: destroy => operator_destroy
  end type

  !> Fills the layers of points beside the faces of a block, which neighbours hold.
  type, public :: tridia_halo_exchange
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create_for => halo_create_for
    procedure :: start => halo_start
    procedure :: finish => halo_finish
    procedure :: destroy => halo_destroy
  end type

  integer, parameter :: message_size = 1024

contains

  !> Returns the number of this rank, from 0; -1 if there is no communicator. So does `size`.
  integer function communicator_rank(self) result(value)
    class(tridia_communicator), intent(in) :: self
    integer(c_int) :: found
    value = -1
    if (c_communicator_rank(self%handle, found) == 0) value = found
  end function

  integer function communicator_size(self) result(value)
    class(tridia_communicator), intent(in) :: self
    integer(c_int) :: found
    value = -1
    if (c_communicator_size(self%handle, found) == 0) value = found
  end function

  subroutine communicator_destroy(self, stat, errmsg)
    class(tridia_communicator), intent(inout) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    call report(c_communicator_destroy(self%handle), stat, errmsg)
    self%handle = c_null_ptr
  end subroutine

  !> Cuts axis a of an array of this shape into ranks(a) blocks of nearly equal lengths.
  subroutine decomposition_create(self, shape, ranks, stat, errmsg)
    class(tridia_decomposition), intent(inout) :: self
    integer(int64), intent(in) :: shape(:)
    integer, intent(in) :: ranks(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    type(c_ptr) :: handle
    if (size(shape) /= size(ranks)) then
      call fail(tridia_invalid_argument, 'ranks: has not one entry for each axis', stat, errmsg)
      return
    end if
    handle = c_null_ptr
    call report(c_decomposition_create(size(shape), shape(size(shape):1:-1), &
      int(ranks(size(ranks):1:-1), c_int), handle), stat, errmsg)
    if (c_associated(handle)) self%handle = handle
  end subroutine

  !> Tells where a rank's block is: its first point, counted from 1, and its shape.
  subroutine decomposition_block(self, rank, first, shape, stat, errmsg)
    class(tridia_decomposition), intent(in) :: self
    integer, intent(in) :: rank
    integer(int64), allocatable, intent(out) :: first(:), shape(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    integer(c_int) :: axes, count
    integer(c_int) :: code
    axes = 0
    count = 0
    code = c_decomposition_shape(self%handle, axes, count)
    allocate (first(axes), shape(axes))
    if (code == 0) code = c_decomposition_block(self%handle, rank, first, shape)
    call report(code, stat, errmsg)
    if (code /= 0) return
    first = first(axes:1:-1) + 1
    shape = shape(axes:1:-1)
  end subroutine

  subroutine decomposition_destroy(self, stat, errmsg)
    class(tridia_decomposition), intent(inout) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    call report(c_decomposition_destroy(self%handle), stat, errmsg)
    self%handle = c_null_ptr
  end subroutine

  !> Makes a plan for arrays of these shapes and strides, which are this rank's blocks; none of their
  !> elements is read. dl and du are as long as d along `dim`, on all ranks.
  subroutine plan_create_for(self, cuts, ranks, dl, d, du, rhs, x, dim, boundary, pivoting, operation, &
      options, stat, errmsg)
    class(tridia_distributed_plan), intent(inout) :: self
    type(tridia_decomposition), intent(in) :: cuts
    type(tridia_communicator), intent(in) :: ranks
    type(*), dimension(..), target, intent(in) :: dl, d, du, rhs, x
    integer, optional, intent(in) :: dim, boundary, pivoting, operation
    type(tridia_distributed_options), optional, intent(in) :: options
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    type(c_ptr) :: handle
    handle = c_null_ptr
    call report(c_distributed_plan_for(cuts%handle, ranks%handle, &
      base_problem(boundary, pivoting, operation), plan_options(options), dl, d, du, rhs, x, &
      int_or(dim, 1), handle, message), stat, errmsg, message)
    if (c_associated(handle)) self%handle = handle
  end subroutine

  !> Makes a plan of one constant matrix, that of whole lines.
  subroutine plan_create_constant(self, cuts, ranks, rhs, x, interior, dim, boundary, operation, head, &
      tail, options, stat, errmsg)
    class(tridia_distributed_plan), intent(inout) :: self
    type(tridia_decomposition), intent(in) :: cuts
    type(tridia_communicator), intent(in) :: ranks
    type(*), dimension(..), target, intent(in) :: rhs, x
    type(tridia_matrix_row), intent(in) :: interior
    integer, optional, intent(in) :: dim, boundary, operation
    type(tridia_matrix_row), optional, intent(in) :: head(:), tail(:)
    type(tridia_distributed_options), optional, intent(in) :: options
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    type(c_matrix_row), allocatable, target :: first(:), last(:)
    type(c_problem) :: p
    type(c_ptr) :: handle
    call set_constant(p, boundary, operation, interior, head, tail, first, last)
    handle = c_null_ptr
    call report(c_distributed_plan_for(cuts%handle, ranks%handle, p, plan_options(options), rhs=rhs, &
      x=x, dim=int_or(dim, 1), plan=handle, message=message), stat, errmsg, message)
    if (c_associated(handle)) self%handle = handle
  end subroutine

  !> Solves every line: `start` and then `finish`. The arrays have the shapes and strides that the plan
  !> was made for. `status` has an entry for each line of this rank's block.
  subroutine plan_execute(self, dl, d, du, rhs, x, status, stat, errmsg)
    class(tridia_distributed_plan), intent(in) :: self
    type(*), dimension(..), target, intent(in) :: dl, d, du, rhs
    type(*), dimension(..), target, intent(inout) :: x
    integer(int64), optional, target, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    integer(c_int) :: code
    if (too_few(status, self%systems(), stat, errmsg)) return
    code = c_distributed_start(self%handle, dl, d, du, rhs, x, execution_of(status=status), message)
    if (code == 0) code = c_distributed_finish(self%handle, message)
    call report(code, stat, errmsg, message)
  end subroutine

  !> Solves every line of a constant matrix.
  subroutine plan_execute_constant(self, rhs, x, status, stat, errmsg)
    class(tridia_distributed_plan), intent(in) :: self
    type(*), dimension(..), target, intent(in) :: rhs
    type(*), dimension(..), target, intent(inout) :: x
    integer(int64), optional, target, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    integer(c_int) :: code
    if (too_few(status, self%systems(), stat, errmsg)) return
    code = c_distributed_start(self%handle, rhs=rhs, x=x, e=execution_of(status=status), &
      message=message)
    if (code == 0) code = c_distributed_finish(self%handle, message)
    call report(code, stat, errmsg, message)
  end subroutine

  !> Reduces this rank's rows, and sends what other ranks need. Until `finish` has returned the arrays,
  !> which have the attribute ASYNCHRONOUS or TARGET where they are declared, must not change; x is
  !> written there.
  subroutine plan_start(self, dl, d, du, rhs, x, status, stat, errmsg)
    class(tridia_distributed_plan), intent(in) :: self
    type(*), dimension(..), target, asynchronous, intent(in) :: dl, d, du, rhs
    type(*), dimension(..), target, asynchronous, intent(inout) :: x
    integer(int64), optional, target, asynchronous, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    if (too_few(status, self%systems(), stat, errmsg)) return
    call report(c_distributed_start(self%handle, dl, d, du, rhs, x, execution_of(status=status), &
      message), stat, errmsg, message)
  end subroutine

  subroutine plan_start_constant(self, rhs, x, status, stat, errmsg)
    class(tridia_distributed_plan), intent(in) :: self
    type(*), dimension(..), target, asynchronous, intent(in) :: rhs
    type(*), dimension(..), target, asynchronous, intent(inout) :: x
    integer(int64), optional, target, asynchronous, contiguous, intent(inout) :: status(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    if (too_few(status, self%systems(), stat, errmsg)) return
    call report(c_distributed_start(self%handle, rhs=rhs, x=x, e=execution_of(status=status), &
      message=message), stat, errmsg, message)
  end subroutine

  !> Waits for the messages of other ranks, and writes x.
  subroutine plan_finish(self, stat, errmsg)
    class(tridia_distributed_plan), intent(in) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    call report(c_distributed_finish(self%handle, message), stat, errmsg, message)
  end subroutine

  subroutine plan_destroy(self, stat, errmsg)
    class(tridia_distributed_plan), intent(inout) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    call report(c_distributed_plan_destroy(self%handle), stat, errmsg)
    self%handle = c_null_ptr
  end subroutine

  !> Returns a sentence that says why the plan uses its strategy.
  function plan_reason(self) result(text)
    class(tridia_distributed_plan), intent(in) :: self
    character(:), allocatable :: text
    type(c_ptr) :: at
    text = ''
    if (c_distributed_reason(c_distributed_plan(self%handle), at) == 0) text = text_of(at)
  end function

  !> Returns the strategy that the plan uses; -1 if there is no plan. So does `systems`, with the number
  !> of lines of this rank's block.
  integer function plan_strategy(self) result(value)
    class(tridia_distributed_plan), intent(in) :: self
    integer(c_int) :: found
    value = -1
    if (c_distributed_strategy(c_distributed_plan(self%handle), found) == 0) value = found
  end function

  integer(int64) function plan_systems(self) result(value)
    class(tridia_distributed_plan), intent(in) :: self
    integer(c_int64_t) :: found
    value = -1
    if (c_distributed_systems(c_distributed_plan(self%handle), found) == 0) value = found
  end function

  !> Makes an operator for arrays of these shapes and strides, which are this rank's blocks. `metric` is
  !> that of whole lines; `strategy` is tridia_strategy_automatic or tridia_strategy_gather; all else is
  !> as for tridia_operator.
  subroutine operator_create_for(self, cuts, ranks, scheme, in, out, dim, spacing, quantity, staggering, &
      closure, boundary, head, tail, metric, operation, alpha_f, tolerance, threads, slabs, strategy, stat, &
      errmsg)
    class(tridia_distributed_operator), intent(inout) :: self
    type(tridia_decomposition), intent(in) :: cuts
    type(tridia_communicator), intent(in) :: ranks
    character(*), intent(in) :: scheme
    type(*), dimension(..), target, intent(in) :: in, out
    integer, optional, intent(in) :: dim, quantity, staggering, boundary, head, tail, operation
    real(real64), optional, intent(in) :: spacing, alpha_f, tolerance
    character(*), optional, intent(in) :: closure
    real(real64), optional, target, contiguous, intent(in) :: metric(:)
    integer, optional, intent(in) :: threads, slabs, strategy
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    character(kind=c_char, len=:), allocatable, target :: name, ends
    type(c_grid) :: g
    type(c_scheme_choice) :: choice
    type(c_distributed_operator_options) :: o
    type(c_ptr) :: handle
    call set_grid(g, spacing, boundary, head, tail, metric, operation)
    call set_choice(choice, scheme, closure, name, ends, quantity, staggering, alpha_f)
    o%struct_size = c_sizeof(o)
    if (present(tolerance)) o%tolerance = tolerance
    o%threads = int_or(threads, 0)
    o%slabs = int_or(slabs, 1)
    o%strategy = int_or(strategy, tridia_strategy_automatic)
    handle = c_null_ptr
    call report(c_distributed_operator_for(cuts%handle, ranks%handle, g, o, choice, in, out, &
      int_or(dim, 1), handle, message), stat, errmsg, message)
    if (c_associated(handle)) self%handle = handle
  end subroutine

  !> Computes out = op(in): `start` and then `finish`.
  subroutine operator_apply(self, in, out, stat, errmsg)
    class(tridia_distributed_operator), intent(in) :: self
    type(*), dimension(..), target, intent(in) :: in
    type(*), dimension(..), target, intent(inout) :: out
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    integer(c_int) :: code
    code = c_distributed_apply_start(self%handle, c_null_ptr, in, out, message)
    if (code == 0) code = c_distributed_apply_finish(self%handle, message)
    call report(code, stat, errmsg, message)
  end subroutine

  !> Computes out = out + s op(in).
  subroutine operator_apply_add(self, s, in, out, stat, errmsg)
    class(tridia_distributed_operator), intent(in) :: self
    real(real64), target, intent(in) :: s
    type(*), dimension(..), target, intent(in) :: in
    type(*), dimension(..), target, intent(inout) :: out
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    integer(c_int) :: code
    code = c_distributed_apply_start(self%handle, c_loc(s), in, out, message)
    if (code == 0) code = c_distributed_apply_finish(self%handle, message)
    call report(code, stat, errmsg, message)
  end subroutine

  !> Computes the sums that other ranks need, and sends them; see `start` of a plan.
  subroutine operator_start(self, in, out, stat, errmsg)
    class(tridia_distributed_operator), intent(in) :: self
    type(*), dimension(..), target, asynchronous, intent(in) :: in
    type(*), dimension(..), target, asynchronous, intent(inout) :: out
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    call report(c_distributed_apply_start(self%handle, c_null_ptr, in, out, message), stat, errmsg, &
      message)
  end subroutine

  subroutine operator_start_add(self, s, in, out, stat, errmsg)
    class(tridia_distributed_operator), intent(in) :: self
    real(real64), target, intent(in) :: s
    type(*), dimension(..), target, asynchronous, intent(in) :: in
    type(*), dimension(..), target, asynchronous, intent(inout) :: out
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    call report(c_distributed_apply_start(self%handle, c_loc(s), in, out, message), stat, errmsg, &
      message)
  end subroutine

  !> Waits for the messages of other ranks, and writes `out`.
  subroutine operator_finish(self, stat, errmsg)
    class(tridia_distributed_operator), intent(in) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    call report(c_distributed_apply_finish(self%handle, message), stat, errmsg, message)
  end subroutine

  subroutine operator_destroy(self, stat, errmsg)
    class(tridia_distributed_operator), intent(inout) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    call report(c_distributed_operator_destroy(self%handle), stat, errmsg)
    self%handle = c_null_ptr
  end subroutine

  !> Makes an exchange for an array that holds this rank's block with before(a) layers before it along
  !> axis a, and after(a) after it. Where periodic(a) is true the last block is before the first one.
  subroutine halo_create_for(self, cuts, ranks, field, before, after, periodic, stat, errmsg)
    class(tridia_halo_exchange), intent(inout) :: self
    type(tridia_decomposition), intent(in) :: cuts
    type(tridia_communicator), intent(in) :: ranks
    type(*), dimension(..), target, intent(in) :: field
    integer, intent(in) :: before(:), after(:)
    logical, optional, intent(in) :: periodic(:)
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    integer(c_int) :: wraps(size(before))
    type(c_ptr) :: handle
    integer :: axes
    axes = size(before)
    wraps = 0
    if (size(after) /= axes) then
      call fail(tridia_invalid_argument, 'after: has not as many entries as before', stat, errmsg)
      return
    end if
    if (present(periodic)) then
      if (size(periodic) /= axes) then
        call fail(tridia_invalid_argument, 'periodic: has not as many entries as before', stat, errmsg)
        return
      end if
      wraps = merge(1, 0, periodic(axes:1:-1))
    end if
    handle = c_null_ptr
    call report(c_halo_for(cuts%handle, ranks%handle, field, int(before(axes:1:-1), c_int), &
      int(after(axes:1:-1), c_int), wraps, axes, handle, message), stat, errmsg, message)
    if (c_associated(handle)) self%handle = handle
  end subroutine

  !> Sends the layers that neighbours need. Until `finish` the field may be read, but not written.
  subroutine halo_start(self, field, stat, errmsg)
    class(tridia_halo_exchange), intent(in) :: self
    type(*), dimension(..), target, asynchronous, intent(inout) :: field
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    call report(c_halo_start(self%handle, field, message), stat, errmsg, message)
  end subroutine

  !> Waits for the messages of neighbours, and writes the halo.
  subroutine halo_finish(self, stat, errmsg)
    class(tridia_halo_exchange), intent(in) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    character(kind=c_char) :: message(message_size)
    call report(c_halo_finish(self%handle, message), stat, errmsg, message)
  end subroutine

  subroutine halo_destroy(self, stat, errmsg)
    class(tridia_halo_exchange), intent(inout) :: self
    integer, optional, intent(out) :: stat
    character(*), optional, intent(inout) :: errmsg
    call report(c_halo_destroy(self%handle), stat, errmsg)
    self%handle = c_null_ptr
  end subroutine

  function plan_options(options) result(o)
    type(tridia_distributed_options), optional, intent(in) :: options
    type(c_distributed_plan_options) :: o
    o%struct_size = c_sizeof(o)
    if (.not. present(options)) return
    o%strategy = options%strategy
    o%statuses = merge(1, 0, options%statuses)
    o%tolerance = options%tolerance
    o%neglected_coupling = options%neglected_coupling
    o%interface_bytes = int(options%interface_bytes, c_size_t)
    o%threads = options%threads
  end function

  include 'tridia_private.inc'
  include 'tridia_report.inc'
end module tridia_distributed
