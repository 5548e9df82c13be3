! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
! Lines that cross ranks along each axis, solved and differentiated, give what one rank alone gives; and
! wrong calls are refused.
program ranks_test
  use mpi_f08
  use tridia_mpi
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none
  integer, parameter :: nx = 18, ny = 20
  type(tridia_communicator) :: ranks, other
  integer :: checked = 0, wrong = 0, dim, all_wrong
  character(200) :: message
  integer :: stat

  call tridia_mpi_communicator_create(other, MPI_COMM_WORLD%MPI_VAL, stat=stat, errmsg=message)
  call expect(stat == tridia_invalid_argument .and. len_trim(message) > 0, 'MPI is not running')
  call MPI_Init()
  call tridia_mpi_communicator_create(other, MPI_COMM_NULL, stat=stat, errmsg=message)
  call expect(stat == tridia_invalid_argument, 'no communicator is refused')
  call expect(other%rank() == -1 .and. other%size() == -1, 'none was made')
  call tridia_mpi_communicator_create(ranks, MPI_COMM_WORLD, time_limit=20.0_real64)
  call tridia_mpi_communicator_create(other, MPI_COMM_WORLD%MPI_VAL)
  call expect(other%rank() == ranks%rank() .and. other%size() == ranks%size(), 'as an integer')
  call other%destroy()
  do dim = 1, 2
    call along(dim)
  end do
  call halos()
  call refusals()
  call ranks%destroy()
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank_of() == 0) print '(i0, a, i0, a)', checked, ' checks, ', all_wrong, ' wrong'
  call MPI_Finalize()
  if (all_wrong > 0) error stop 1
contains
  integer function rank_of()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank_of)
  end function

  subroutine expect(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    checked = checked + 1
    if (good) return
    wrong = wrong + 1
    print '(2a)', 'not so: ', what
  end subroutine

  !> Cuts the field along one axis only, whose blocks are of different lengths.
  subroutine cut(dim, cuts, first, shape)
    integer, intent(in) :: dim
    type(tridia_decomposition), intent(out) :: cuts
    integer(int64), allocatable, intent(out) :: first(:), shape(:)
    integer :: counts(2)
    counts = 1
    counts(dim) = ranks%size()
    call cuts%create([int(nx, int64), int(ny, int64)], counts)
    call cuts%block(ranks%rank(), first, shape)
  end subroutine

  !> Each rank solves and differentiates its block of a known field, and compares it with the whole.
  subroutine along(dim)
    integer, intent(in) :: dim
    type(tridia_decomposition) :: cuts
    type(tridia_distributed_plan) :: plan
    type(tridia_distributed_operator) :: op
    type(tridia_operator) :: whole
    integer(int64), allocatable :: first(:), shape(:), status(:)
    real(real64) :: dl(nx, ny), d(nx, ny), du(nx, ny), rhs(nx, ny), x(nx, ny), df(nx, ny)
    complex(real32), allocatable :: z(:, :)
    real(real64), allocatable, asynchronous :: mine(:, :), padded(:, :)
    real(real64) :: random
    integer :: i, j, i1, i2, j1, j2
    do j = 1, ny
      do i = 1, nx
        random = sin(real(7*i + 3*j, real64))
        dl(i, j) = -1 + 0.1_real64*random
        d(i, j) = 3 + 0.5_real64*random
        du(i, j) = -1.2_real64 - 0.2_real64*random
        rhs(i, j) = cos(real(i*j, real64))
      end do
    end do
    call tridia_solve(dl, d, du, rhs, x, dim=dim)
    call cut(dim, cuts, first, shape)
    i1 = int(first(1))
    i2 = int(first(1) + shape(1)) - 1
    j1 = int(first(2))
    j2 = int(first(2) + shape(2)) - 1
    allocate (mine(i1:i2, j1:j2), padded(i1:i2 + 3, j1:j2))
    allocate (status(size(mine)/shape(dim)))

    ! Sections of the whole, whose columns are not contiguous, into an array with room at the end.
    status = 7
    padded = 0
    call plan%create_for(cuts, ranks, dl(i1:i2, j1:j2), d(i1:i2, j1:j2), du(i1:i2, j1:j2), &
      rhs(i1:i2, j1:j2), padded(i1:i2, :), dim=dim)
    call plan%execute(dl(i1:i2, j1:j2), d(i1:i2, j1:j2), du(i1:i2, j1:j2), rhs(i1:i2, j1:j2), &
      padded(i1:i2, :), status=status)
    call expect(all(abs(padded(i1:i2, :) - x(i1:i2, j1:j2)) < 1e-12_real64), 'lines are solved')
    call expect(all(padded(i2 + 1:, :) == 0), 'nothing else is written')
    call expect(all(status == 0), 'the status says so')
    call expect(plan%systems() == size(status) .and. len(plan%reason()) > 0, 'the plan is described')
    call plan%destroy()

    ! In place, in two steps, by a given strategy.
    mine = rhs(i1:i2, j1:j2)
    call plan%create_for(cuts, ranks, dl(i1:i2, j1:j2), d(i1:i2, j1:j2), du(i1:i2, j1:j2), mine, mine, &
      dim=dim, pivoting=tridia_pivoting_none, &
      options=tridia_distributed_options(strategy=tridia_strategy_allgather, threads=1))
    call expect(plan%strategy() == tridia_strategy_allgather, 'the strategy is that which was asked for')
    call plan%start(dl(i1:i2, j1:j2), d(i1:i2, j1:j2), du(i1:i2, j1:j2), mine, mine)
    call plan%finish()
    call expect(all(abs(mine - x(i1:i2, j1:j2)) < 1e-12_real64), 'lines are solved in two steps')
    call plan%destroy()

    ! One matrix for all lines, of constants: x = 1 but for the ends.
    allocate (z(i1:i2, j1:j2))
    z = 2
    call plan%create_constant(cuts, ranks, z, z, tridia_matrix_row(dl=-1, d=4, du=-1), dim=dim, &
      boundary=tridia_periodic)
    call plan%execute_constant(z, z)
    call expect(all(abs(z - 1) < 1e-5), 'a constant matrix')
    call plan%destroy()

    call whole%create_for('C6', rhs, df, dim=dim, spacing=0.5_real64)
    call whole%apply(rhs, df)
    call op%create_for(cuts, ranks, 'C6', rhs(i1:i2, j1:j2), mine, dim=dim, spacing=0.5_real64)
    mine = 0
    call op%apply(rhs(i1:i2, j1:j2), mine)
    call expect(all(abs(mine - df(i1:i2, j1:j2)) < 1e-11_real64), 'lines are differentiated')
    call op%apply_add(-1.0_real64, rhs(i1:i2, j1:j2), mine)
    call expect(all(abs(mine) < 1e-11_real64), 'a derivative is subtracted')
    call op%start(rhs(i1:i2, j1:j2), mine)
    call op%finish()
    call expect(all(abs(mine - df(i1:i2, j1:j2)) < 1e-11_real64), 'in two steps')
    call op%destroy()
    call whole%destroy()
    call cuts%destroy()
  end subroutine

  subroutine halos()
    type(tridia_decomposition) :: cuts
    type(tridia_halo_exchange) :: exchange
    integer(int64), allocatable :: first(:), shape(:)
    real(real64), allocatable, asynchronous :: field(:, :)
    integer :: i, j
    call cut(2, cuts, first, shape)
    allocate (field(0:nx, first(2) - 1:first(2) + shape(2) + 1))  ! 1 before, and 0 and 2 after
    field = -1
    do j = int(first(2)), int(first(2) + shape(2)) - 1
      do i = 1, nx
        field(i, j) = i + 100*j
      end do
    end do
    call exchange%create_for(cuts, ranks, field, before=[1, 1], after=[0, 2], &
      periodic=[.true., .false.])
    call exchange%start(field)
    call exchange%finish()
    do j = lbound(field, 2), ubound(field, 2)
      do i = 1, nx
        if (j < 1 .or. j > ny) then
          call expect(field(i, j) == -1, 'beyond the ends nothing is written')
        else
          call expect(field(i, j) == i + 100*j, 'the halo is that of the neighbours')
        end if
      end do
      if (j >= first(2) .and. j < first(2) + shape(2)) &
        call expect(field(0, j) == nx + 100*j, 'the halo of a periodic axis')
    end do
    call exchange%start(field(:, lbound(field, 2) + 1:), stat=stat, errmsg=message)
    call expect(stat == tridia_invalid_argument .and. index(message, 'field:') == 1, 'another shape')
    call exchange%destroy()
    call cuts%destroy()
  end subroutine

  !> All ranks make the same mistake.
  subroutine refusals()
    type(tridia_decomposition) :: cuts, none
    type(tridia_distributed_plan) :: plan
    type(tridia_distributed_operator) :: op
    integer(int64), allocatable :: first(:), shape(:)
    integer(int64) :: few(1)
    real(real64), allocatable :: a(:, :), x(:, :)
    call none%create([8_int64], [1, 1], stat=stat, errmsg=message)
    call expect_refused('ranks')
    call none%block(0, first, shape, stat=stat, errmsg=message)
    call expect(stat == tridia_invalid_argument, 'there is no decomposition')
    call cut(1, cuts, first, shape)
    allocate (a(shape(1), shape(2)), x(shape(1), shape(2)))
    a = 4
    x = 7
    call plan%execute(a, a, a, a, x, stat=stat, errmsg=message)
    call expect_refused('plan')
    call op%apply(a, x, stat=stat, errmsg=message)
    call expect_refused('op')
    call plan%create_for(cuts, ranks, a(2:, :), a, a(2:, :), a, x, stat=stat, errmsg=message)
    call expect_refused('dl')
    call plan%create_for(cuts, ranks, a, a, a, a, x, dim=3, stat=stat, errmsg=message)
    call expect_refused('dim')
    call plan%create_for(cuts, ranks, a, a, a, a, x)
    call plan%execute(a, a, a, a(:, 2:), x, stat=stat, errmsg=message)
    call expect_refused('rhs')
    call plan%execute(a, a, a, a, x, status=few(1:0), stat=stat, errmsg=message)
    call expect_refused('status')
    call expect(all(x == 7), 'nothing is written')
    call plan%destroy()
    call op%create_for(cuts, ranks, 'C7', a, x, stat=stat, errmsg=message)
    call expect(stat == tridia_invalid_argument, 'there is no such scheme')
    call cuts%destroy()
  end subroutine

  subroutine expect_refused(word)
    character(*), intent(in) :: word
    call expect(stat == tridia_invalid_argument .and. index(message, word//':') == 1, &
      'refused for '//word//', not: '//trim(message))
  end subroutine
end program
