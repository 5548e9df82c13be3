! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> These are wrong calls, and the rest of the interface: factors, constants, statuses, operators.
module refusals
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
  use checks
  use tridia
  implicit none
  private
  public :: test_refusals
  real(real64) :: dl(5, 6), d(5, 6), du(5, 6), rhs(5, 6), x(5, 6)
contains
  subroutine test_refusals()
    dl = -1
    d = 4
    du = -1
    rhs = 2
    x = 7
    call wrong_arrays()
    call wrong_plans()
    call statuses()
    call factors()
    call constants()
    call operators()
    call several_sides()
  end subroutine

  subroutine refused(stat, errmsg, word)
    integer, intent(in) :: stat
    character(*), intent(in) :: errmsg, word
    call expect(stat == tridia_invalid_argument .and. index(errmsg, word//':') == 1, &
      'refused for '//word//', not: '//trim(errmsg))
    call expect(all(x == 7), 'nothing is written')
  end subroutine

  subroutine wrong_arrays()
    integer :: stat
    character(200) :: message
    real(real32) :: single(5, 6)
    integer :: numbers(5, 6)
    single = 1
    numbers = 1
    call tridia_solve(dl, d, du, rhs, x, dim=3, stat=stat, errmsg=message)
    call refused(stat, message, 'dim')
    call tridia_solve(dl, d, du, rhs, x, dim=0, stat=stat, errmsg=message)
    call refused(stat, message, 'dim')
    call tridia_solve(dl, d, du, single, x, stat=stat, errmsg=message)
    call refused(stat, message, 'rhs')
    call tridia_solve(numbers, d, du, rhs, x, stat=stat, errmsg=message)
    call refused(stat, message, 'dl')
    call tridia_solve(dl, d(:, 1:3), du, rhs, x, stat=stat, errmsg=message)
    call refused(stat, message, 'd')
    call tridia_solve(dl, d, du(1:3, 1), rhs, x, stat=stat, errmsg=message)
    call refused(stat, message, 'du')
    call tridia_solve(dl, d, du, rhs(1:4, :), x, stat=stat, errmsg=message)
    call refused(stat, message, 'rhs')
    call tridia_solve(dl, d, du, rhs, x, boundary=5, stat=stat, errmsg=message)
    call refused(stat, message, 'boundary')
  end subroutine

  subroutine wrong_plans()
    type(tridia_plan) :: plan, freed
    type(tridia_problem) :: p
    integer :: stat
    character(200) :: message
    call plan%execute(dl, d, du, rhs, x, stat=stat, errmsg=message)
    call refused(stat, message, 'plan')
    call plan%create(p, stat=stat, errmsg=message)
    call refused(stat, message, 'extents')
    p%shape = [5_int64, 6_int64]
    p%dim = 3
    call plan%create(p, stat=stat, errmsg=message)
    call refused(stat, message, 'dim')
    p%dim = 1
    p%d_strides = [1_int64]
    call plan%create(p, stat=stat, errmsg=message)
    call refused(stat, message, 'rank')
    call plan%create_for(dl, d, du, rhs, x)
    call plan%execute(dl, d, du, rhs(:, 6:1:-1), x, stat=stat, errmsg=message)
    call refused(stat, message, 'rhs')
    call plan%execute(dl, d, du, rhs, x(:, 1:5), stat=stat, errmsg=message)
    call refused(stat, message, 'x')
    freed = plan
    call plan%destroy()
    call freed%execute(dl, d, du, rhs, x, stat=stat, errmsg=message)
    call refused(stat, message, 'plan')
    call expect(freed%systems() == -1, 'a freed plan has no systems')
  end subroutine

  subroutine statuses()
    integer(int64) :: status(6)
    real(real64) :: singular(5, 6), y(5, 6)
    integer :: stat
    singular = d
    singular(:, 4) = 0
    call tridia_solve(0*dl, singular, 0*du, rhs, y, status=status)
    call expect(all(status == [0, 0, 0, 1, 0, 0]), 'the status says which system is singular')
    call tridia_solve(0*dl, singular, 0*du, rhs, y, stat=stat)
    call expect(stat == tridia_singular, 'without a status it is an error')
  end subroutine

  subroutine factors()
    type(tridia_plan) :: plan
    real(real64) :: y(5, 6), z(5, 6)
    integer(int8), allocatable :: saved(:)
    integer(int64) :: short(2)
    integer :: stat
    character(200) :: message
    call plan%create_for(dl, d, du, rhs, y)
    allocate (saved(plan%factors_bytes()))
    call plan%factor(dl, d, du, saved)
    call plan%solve(saved, rhs, z)
    call plan%execute(dl, d, du, rhs, y)
    call expect(all(abs(y - z) < 1e-14), 'saved factors solve')
    call plan%factor(dl, d, du, saved(1:3), stat=stat, errmsg=message)
    call refused(stat, message, 'factors')
    call plan%execute(dl, d, du, rhs, x, status=short, stat=stat, errmsg=message)
    call refused(stat, message, 'status')
    call plan%destroy()
  end subroutine

  subroutine constants()
    type(tridia_plan) :: plan
    type(tridia_matrix_row) :: row
    real(real64) :: y(5, 6), z(5, 6)
    row%dl = -1
    row%d = 4
    row%du = -1
    call plan%create_constant(rhs, y, row, dim=2)
    call plan%execute_constant(rhs, y)
    call tridia_solve(dl, d, du, rhs, z, dim=2)
    call expect(all(abs(y - z) < 1e-14), 'constant coefficients solve')
    call expect(len(plan%reason()) > 0, 'a plan has a reason')
    call plan%destroy()
  end subroutine

  subroutine several_sides()
    type(tridia_plan) :: plan
    real(real64) :: b(5, 6, 3), y(5, 6, 3), z(5, 6)
    b(:, :, 1) = rhs
    b(:, :, 2) = 2*rhs
    b(:, :, 3) = 3*rhs
    call tridia_solve(dl, d, du, b, y)
    call tridia_solve(dl, d, du, rhs, z)
    call expect(all(abs(y(:, :, 3) - 3*z) < 1e-13), 'several right-hand sides are solved')
    y = 0
    call plan%create_for(dl, d, du, b, y)
    call plan%execute(dl, d, du, b, y)
    call expect(all(abs(y(:, :, 2) - 2*z) < 1e-13), 'a plan solves several right-hand sides')
    call expect(plan%systems() == 6, 'there are six systems')
    call plan%destroy()
  end subroutine

  subroutine operators()
    type(tridia_operator) :: ddx
    real(real64) :: f(20, 3), df(20, 3)
    integer :: k, stat
    character(200) :: message
    do k = 1, 20
      f(k, :) = 3*k
    end do
    call ddx%create_for('C6', f, df, closure='3-4-6-4-3')
    call ddx%apply(f, df)
    call expect(all(abs(df - 3) < 1e-12), 'the derivative of a line')
    call ddx%apply_add(2.0_real64, f, df)
    call expect(all(abs(df - 9) < 1e-11), 'apply_add adds')
    call ddx%apply(f(:, 1:2), df, stat=stat, errmsg=message)
    call refused(stat, message, 'in')
    call ddx%destroy()
    call ddx%create_for('C7', f, df, stat=stat, errmsg=message)
    call expect(stat == tridia_invalid_argument .and. index(message, 'C7') > 0, 'C7 is no scheme')
    call adjoints()
    call quantities()
  end subroutine

  !> Each quantity has the number that it has in C: of x**q/2 derivative q is a constant, and other
  !> quantities are not.
  subroutine quantities()
    type(tridia_operator) :: op
    real(real64) :: f(24), df(24)
    integer :: k, q
    integer, parameter :: derivatives(4) = [tridia_first_derivative, tridia_second_derivative, &
      tridia_third_derivative, tridia_fourth_derivative]
    do q = 1, 4
      f = [((k - 12)**q / 2.0_real64, k=1, 24)]
      call op%create_for('C6', f, df, quantity=derivatives(q))
      call op%apply(f, df)
      call expect(all(abs(df - product([(k, k=1, q)])/2.0_real64) < 1e-9), 'derivatives of x**q')
      call op%destroy()
    end do
    f = [((-1)**k, k=1, 24)]
    call op%create_for('F8', f, df, quantity=tridia_filter, boundary=tridia_periodic)
    call op%apply(f, df)
    call expect(all(abs(df) < 1e-12), 'a filter')
    call op%destroy()
    call op%create_for('C6', f(2:), df, quantity=tridia_interpolation, staggering=tridia_to_points)
    call op%destroy()
  end subroutine

  !> A staggered operator has one result less than a line has points; its adjoint reads those.
  subroutine adjoints()
    type(tridia_operator) :: op, adjoint
    real(real64) :: u(20, 3), v(19, 3), op_u(19, 3), adjoint_v(20, 3)
    integer :: k
    u = reshape([(sin(0.3_real64*k), k=1, 60)], [20, 3])
    v = reshape([(cos(0.7_real64*k), k=1, 57)], [19, 3])
    call op%create_for('C6', u, op_u, staggering=tridia_to_midpoints)
    call adjoint%create_for('C6', v, adjoint_v, staggering=tridia_to_midpoints, &
      operation=tridia_operation_transpose)
    call op%apply(u, op_u)
    call adjoint%apply(v, adjoint_v)
    call expect(abs(sum(op_u*v) - sum(u*adjoint_v)) < 1e-11, 'an adjoint of a staggered operator')
    call op%destroy()
    call adjoint%destroy()
  end subroutine
end module
