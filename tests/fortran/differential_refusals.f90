! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> These are wrong calls of tridia_differential_operator.
module differential_refusals
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use checks
  use differential_calls, only: along_axes, f, g, nx, ny, nz, refused, x, y, z
  use tridia
  implicit none
  private
  public :: test_differential_refusals
contains
  subroutine test_differential_refusals()
    call wrong_terms()
    call wrong_arrays()
    call wrong_calls()
  end subroutine

  subroutine wrong_terms()
    type(tridia_differential_operator) :: op
    type(tridia_differential_term) :: terms(3), many(17)
    integer :: stat
    character(200) :: message
    x = 7
    terms = along_axes(tridia_first_derivative)
    many = terms(1)
    call op%create_for(3, terms, f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'kind')
    call op%create_for(tridia_laplacian, terms(1:0), f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'terms')
    call op%create_for(tridia_laplacian, many, f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'terms')
    call op%create(tridia_laplacian, terms(1:0), stat=stat, errmsg=message)
    call refused(stat, message, 'terms')
    terms(2)%dim = 4
    call op%create_for(tridia_laplacian, terms, f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'dim')
    call expect(index(message, 'term 2') > 0, 'it says of which term')
    terms(2)%dim = 0
    call op%create_for(tridia_laplacian, terms, f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'dim')
    terms = along_axes(tridia_first_derivative)
    terms(3)%spacing = 0
    call op%create_for(tridia_laplacian, terms, f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'spacing')
    terms = along_axes(tridia_first_derivative)
    terms(3)%boundary = 9
    call op%create_for(tridia_laplacian, terms, f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'boundary')
    terms = along_axes(tridia_first_derivative)
    terms(1)%metric = [1.0_real64]
    call op%create_for(tridia_laplacian, terms, f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'metric')
    terms = along_axes(tridia_first_derivative)
    terms(2)%scheme = 'C7'
    call op%create_for(tridia_laplacian, terms, f, x, stat=stat, errmsg=message)
    call expect(stat == tridia_invalid_argument .and. index(message, 'C7') > 0, 'C7 is no scheme')
    terms(2)%scheme = ''
    call op%create_for(tridia_laplacian, terms, f, x, stat=stat, errmsg=message)
    call expect(stat == tridia_invalid_argument, 'no scheme')
    terms(2)%scheme = 'C6'
    terms(2)%closure = 'closed'
    call op%create_for(tridia_laplacian, terms, f, x, stat=stat, errmsg=message)
    call expect(stat == tridia_invalid_argument .and. index(message, 'closed') > 0, 'no such closure')
    call expect(op%kind() == -1, 'no operator is made')
  end subroutine

  subroutine wrong_arrays()
    type(tridia_differential_operator) :: op
    type(tridia_differential_term) :: terms(3)
    real(real32) :: single(nx, ny, nz)
    integer :: numbers(nx, ny, nz), stat
    real(real64) :: two(nx, ny, nz, 2)
    character(200) :: message
    terms = along_axes(tridia_first_derivative)
    x = 7
    numbers = 1
    single = 1
    two = 1
    call op%create_for(tridia_gradient, terms, f, x, out2=y, stat=stat, errmsg=message)
    call refused(stat, message, 'out3')
    call op%create_for(tridia_gradient, terms, f, x, out3=y, stat=stat, errmsg=message)
    call refused(stat, message, 'out2')
    call op%create_for(tridia_gradient, terms, f, x, out2=y, out3=z, out4=g, stat=stat, errmsg=message)
    call refused(stat, message, 'out4')
    call op%create_for(tridia_gradient, terms, f, x, y, out2=y, out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'in2')
    call op%create_for(tridia_divergence, terms, f, x, y, stat=stat, errmsg=message)
    call refused(stat, message, 'in3')
    call op%create_for(tridia_divergence, terms, f, x, y, z, out2=z, stat=stat, errmsg=message)
    call refused(stat, message, 'out2')
    call op%create_for(tridia_laplacian, terms, f, x, in2=y, stat=stat, errmsg=message)
    call refused(stat, message, 'in2')
    call op%create_for(tridia_gradient, terms, f, two, stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    call op%create_for(tridia_divergence, terms, two, x, stat=stat, errmsg=message)
    call refused(stat, message, 'in')
    call op%create_for(tridia_laplacian, terms, f, two, stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    call op%create_for(tridia_divergence, terms, f, x, y, numbers, stat=stat, errmsg=message)
    call refused(stat, message, 'in3')
    call op%create_for(tridia_divergence, terms, f, x, single, z, stat=stat, errmsg=message)
    call refused(stat, message, 'in2')
    call op%create_for(tridia_laplacian, terms, f, single, stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    call op%create_for(tridia_laplacian, terms, f, x(1, 1, 1), stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    call op%create_for(tridia_laplacian, terms, f, x(:, 2:, :), stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    call op%create_for(tridia_gradient, terms, f, x, out2=y(:, :, 1), out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'out2')
    call op%create_for(tridia_divergence, terms, f, x, y, z(2:, :, :), stat=stat, errmsg=message)
    call refused(stat, message, 'in3')
    call expect(op%kind() == -1, 'no operator is made')
  end subroutine

  subroutine wrong_calls()
    type(tridia_differential_operator) :: op, copy
    type(tridia_differential_term) :: terms(3)
    real(real32) :: single(nx, ny, nz)
    real(real64) :: stacked(nx, ny, nz, 3), apart(nx, ny, nz, 4)
    integer :: stat
    character(200) :: message
    terms = along_axes(tridia_first_derivative)
    x = 7
    single = 1
    call op%apply(f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'op')
    call op%apply_add(1.0_real64, f, x, stat=stat, errmsg=message)
    call refused(stat, message, 'op')
    call op%create_for(tridia_gradient, terms, f, x, out2=y, out3=z)
    call op%apply(f, x, out2=y, stat=stat, errmsg=message)
    call refused(stat, message, 'out3')
    call op%apply(f, x, g, out2=y, out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'in2')
    call op%apply(single, x, out2=y, out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'in')
    call op%apply(f(2:, :, :), x, out2=y, out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'in')
    call op%apply(f(:, :, 1), x, out2=y, out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'in')
    call op%apply(f, x, out2=y(:, ny:1:-1, :), out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'out2')
    call op%apply_add(2.0_real64, f, x, out2=y, out3=single, stat=stat, errmsg=message)
    call refused(stat, message, 'out3')
    call op%apply(f, x, out2=x, out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    call op%apply(f, f, out2=y, out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    ! Where each array lies by itself does not matter.
    call op%apply(f, stacked)
    call op%apply(f, apart(:, :, :, 4), out2=apart(:, :, :, 2), out3=apart(:, :, :, 1))
    call expect(all(stacked == apart(:, :, :, [4, 2, 1])), 'arrays one by one, or together')
    copy = op
    call op%destroy()
    call op%destroy(stat=stat)
    call expect(stat == 0, 'no operator is destroyed')
    call copy%apply(f, x, out2=y, out3=z, stat=stat, errmsg=message)
    call refused(stat, message, 'op')
    call copy%destroy(stat=stat, errmsg=message)
    call refused(stat, message, 'op')
  end subroutine
end module
