! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> These are exact derivatives, and the calls of tridia_differential_operator.
module differential_calls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use checks
  use tridia
  implicit none
  private
  public :: test_differential_calls, along_axes, refused
  integer, parameter, public :: nx = 10, ny = 9, nz = 11
  real(real64), parameter :: h = 0.1_real64
  real(real64), target, public :: f(nx, ny, nz), g(nx, ny, nz), x(nx, ny, nz), y(nx, ny, nz), z(nx, ny, nz)
contains
  subroutine test_differential_calls()
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          f(i, j, k) = (h*i)**3 - 2*(h*j)**3 + 3*h*k
        end do
      end do
    end do
    call exact()
    call staggered()
    call stretched()
    call adjoints()
    call many_terms()
    call workspaces()
    call addresses()
    call queries()
  end subroutine

  !> Returns terms along axes 1, 2 and 3.
  function along_axes(quantity) result(terms)
    integer, intent(in) :: quantity
    type(tridia_differential_term) :: terms(3)
    integer :: axis
    terms = [(tridia_differential_term('C6', dim=axis, spacing=h, quantity=quantity), axis=1, 3)]
  end function

  !> Of third powers schemes and closures give exact derivatives.
  subroutine exact()
    type(tridia_differential_operator) :: op
    type(tridia_differential_term) :: terms(3)
    integer :: i, j
    terms = along_axes(tridia_first_derivative)
    terms%factor = [2, 1, -1]
    terms(2)%closure = '3-4-6-4-3'
    call op%create_for(tridia_gradient, terms, f, x, out2=y, out3=z)
    call op%apply(f, x, out2=y, out3=z)
    do i = 1, nx
      call expect(all(abs(x(i, :, :) - 6*(h*i)**2) < 1e-11), 'twice the derivative along axis 1')
    end do
    do j = 1, ny
      call expect(all(abs(y(:, j, :) + 6*(h*j)**2) < 1e-11), 'the derivative along axis 2')
    end do
    call expect(all(abs(z + 3) < 1e-11), 'the derivative along axis 3, negative')
    call op%destroy()

    ! The divergence of what is constant along two of three axes.
    terms = along_axes(tridia_first_derivative)
    call op%create_for(tridia_divergence, terms, x, g, y, z)
    call op%apply(x, g, y, z)
    do j = 1, ny
      do i = 1, nx
        call expect(all(abs(g(i, j, :) - 12*h*i + 12*h*j) < 1e-9), 'a divergence')
      end do
    end do
    call op%destroy()

    terms = along_axes(tridia_second_derivative)
    call op%create_for(tridia_laplacian, terms, f, g)
    call op%apply(f, g)
    call op%apply_add(-0.5_real64, f, g)
    do j = 1, ny
      do i = 1, nx
        call expect(all(abs(g(i, j, :) - 3*h*i + 6*h*j) < 1e-8), 'half a Laplacian')
      end do
    end do
    call op%destroy()
  end subroutine

  !> A gradient whose results lie on the faces of cells: each array has a shape of its own.
  subroutine staggered()
    type(tridia_differential_operator) :: op
    type(tridia_differential_term) :: terms(3)
    real(real64) :: on_x(nx - 1, ny, nz), on_y(nx, ny - 1, nz), on_z(nx, ny, nz - 1)
    integer :: i, j, stat
    character(200) :: message
    terms = along_axes(tridia_first_derivative)
    terms%staggering = tridia_to_midpoints
    call op%create_for(tridia_gradient, terms, f, on_x, out2=on_y, out3=on_z)
    call op%apply(f, on_x, out2=on_y, out3=on_z)
    do i = 1, nx - 1
      call expect(all(abs(on_x(i, :, :) - 3*(h*(i + 0.5_real64))**2) < 1e-11), 'between points of axis 1')
    end do
    do j = 1, ny - 1
      call expect(all(abs(on_y(:, j, :) + 6*(h*(j + 0.5_real64))**2) < 1e-11), 'between points of axis 2')
    end do
    call expect(all(abs(on_z - 3) < 1e-11), 'between points of axis 3')
    call expect(all(op%in_shape(3) == [nx, ny, nz]), 'it reads the points')
    call expect(all(op%out_shape(2) == [nx, ny - 1, nz]), 'it writes less than the points')
    call op%destroy()
    x = 7
    call op%create_for(tridia_gradient, terms, f, on_x, out2=on_y, out3=x, stat=stat, errmsg=message)
    call refused(stat, message, 'out3')
  end subroutine

  subroutine stretched()
    type(tridia_differential_operator) :: op
    type(tridia_differential_term) :: terms(2)
    real(real64) :: metric(ny)
    integer :: j
    metric = [(0.5_real64*j, j=1, ny)]
    terms(1)%scheme = 'C6'
    terms(1)%spacing = h
    terms(2) = terms(1)
    terms(2)%dim = 2
    terms(2)%metric = metric
    call op%create_for(tridia_gradient, terms, f, x, out2=y)
    call op%apply(f, x, out2=y)
    do j = 1, ny
      call expect(all(abs(y(:, j, :) + 6*(h*j)**2/metric(j)) < 1e-11), 'a stretched grid')
    end do
    call op%destroy()
  end subroutine

  !> The adjoint of a gradient is a divergence of adjoints, also where arrays differ in shape.
  subroutine adjoints()
    type(tridia_differential_operator) :: gradient, adjoint
    type(tridia_differential_term) :: terms(2)
    real(real64) :: u(20, 15), gx(19, 15), gy(20, 14), vx(19, 15), vy(20, 14), d(20, 15)
    integer :: k
    u = reshape([(sin(0.3_real64*k), k=1, 300)], [20, 15])
    vx = reshape([(cos(0.7_real64*k), k=1, 285)], [19, 15])
    vy = reshape([(sin(0.4_real64*k), k=1, 280)], [20, 14])
    terms = [(tridia_differential_term('C6', dim=k, staggering=tridia_to_midpoints), k=1, 2)]
    call gradient%create_for(tridia_gradient, terms, u, gx, out2=gy)
    terms%operation = tridia_operation_transpose
    call adjoint%create_for(tridia_divergence, terms, vx, d, vy)
    call gradient%apply(u, gx, out2=gy)
    call adjoint%apply(vx, d, vy)
    call expect(abs(sum(gx*vx) + sum(gy*vy) - sum(u*d)) < 1e-10, 'an adjoint of a staggered gradient')
    call gradient%destroy()
    call adjoint%destroy()
  end subroutine

  !> More terms than arrays can be given one by one: they take an array with one axis more.
  subroutine many_terms()
    type(tridia_differential_operator) :: op
    type(tridia_differential_term) :: terms(8)
    real(real64) :: all_of(nx, ny, nz, 8), both(nx, 2)
    integer :: k, stat
    character(200) :: message
    terms = [(tridia_differential_term('C6', spacing=h, factor=real(k, real64)), k=1, 8)]
    call op%create_for(tridia_gradient, terms, f, all_of)
    call op%apply(f, all_of)
    do k = 2, 8
      call expect(all(abs(all_of(:, :, :, k) - k*all_of(:, :, :, 1)) < 1e-11), 'one of eight terms')
    end do
    call op%destroy()
    x = 7
    call op%create_for(tridia_gradient, terms, f, x, out2=y, stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    ! A line has a rank of 1.
    call op%create_for(tridia_gradient, terms(1:2), f(:, 1, 1), both)
    call op%apply(f(:, 1, 1), both)
    call expect(all(abs(both - all_of(:, 1, 1, 1:2)) < 1e-11), 'two terms of a line')
    call op%destroy()
    ! A term alone has an array of the same rank, or one with an axis for it; and works in place.
    call op%create_for(tridia_gradient, terms(1:1), f, all_of(:, :, :, 1:1))
    call op%apply(f, all_of(:, :, :, 1:1))
    call op%destroy()
    g = f
    call op%create_for(tridia_gradient, terms(1:1), g, g)
    call op%apply(g, g)
    call expect(all(abs(g - all_of(:, :, :, 1)) < 1e-11), 'a term alone, in place')
    call op%destroy()
  end subroutine

  subroutine workspaces()
    type(tridia_differential_operator) :: op
    type(tridia_differential_term) :: terms(3)
    integer(int8), allocatable :: workspace(:)
    integer(int8) :: short(0)
    integer :: stat
    character(200) :: message
    terms = along_axes(tridia_second_derivative)
    call op%create_for(tridia_laplacian, terms, f, g, options=tridia_options(threads=1))
    call expect(op%threads() == 1 .and. op%backend() == tridia_cpu, 'the options are heard')
    allocate (workspace(op%workspace_bytes()))
    call op%apply(f, g)
    call op%apply(f, y, workspace=workspace)
    call expect(all(g == y), 'a workspace is used')
    call op%apply_add(1.0_real64, f, y, workspace=workspace)
    call expect(all(abs(y - 2*g) < 1e-10), 'a workspace is used again')
    if (size(workspace) > 0) then
      x = 7
      call op%apply(f, x, workspace=short, stat=stat, errmsg=message)
      call refused(stat, message, 'workspace')
    end if
    call op%destroy()
  end subroutine

  !> An operator of shapes alone, here on the host.
  subroutine addresses()
    type(tridia_differential_operator) :: op
    type(tridia_differential_term) :: terms(2)
    real(real64), target :: u(nx, ny, 3), v(nx, ny, 3, 2), w(nx, ny, 3, 2)
    integer(int8), allocatable, target :: workspace(:)
    integer(int64) :: bytes
    integer :: stat, k
    character(200) :: message
    type(c_ptr) :: room
    u = f(:, :, 1:3)
    do k = 1, 2
      terms(k)%scheme = 'C6'
      terms(k)%spacing = h
      terms(k)%dim = k
      terms(k)%shape = [nx, ny]
      terms(k)%fields = 3
    end do
    terms(2)%in_strides = [1, nx]
    terms(2)%out_strides = [1, nx]
    terms(2)%in_step = nx*ny
    terms(2)%out_step = nx*ny
    call op%create(tridia_gradient, terms)
    call expect(all(op%in_shape(1) == [nx, ny]), 'the shape is that of the terms')
    bytes = op%workspace_bytes()
    allocate (workspace(bytes + 1))
    room = c_loc(workspace)
    call op%apply_addresses([c_loc(u)], [c_loc(v(1, 1, 1, 1)), c_loc(v(1, 1, 1, 2))], room, bytes)
    w = 0
    call op%apply_add_addresses(2.0_real64, [c_loc(u)], [c_loc(w(1, 1, 1, 1)), c_loc(w(1, 1, 1, 2))], &
      room, bytes)
    call expect(all(abs(w - 2*v) < 1e-11), 'fields at addresses are added')
    do k = 1, ny
      call expect(all(abs(v(:, k, :, 2) + 6*(h*k)**2) < 1e-11), 'fields at addresses are derived')
    end do
    x = 7
    call op%apply_addresses([c_loc(u)], [c_loc(x(1, 1, 1))], room, bytes, stat=stat, errmsg=message)
    call refused(stat, message, 'out')
    call op%apply_add_addresses(1.0_real64, [c_ptr ::], [c_loc(x(1, 1, 1)), c_null_ptr], room, bytes, &
      stat=stat, errmsg=message)
    call refused(stat, message, 'in')
    call op%apply(u, v, stat=stat, errmsg=message)
    call refused(stat, message, 'op')
    call op%destroy()
    call op%apply_addresses([c_loc(u)], [c_loc(v)], room, bytes, stat=stat, errmsg=message)
    call refused(stat, message, 'op')

    ! What terms alone can have wrong.
    deallocate (terms(1)%shape)
    call op%create(tridia_gradient, terms, stat=stat, errmsg=message)
    call refused(stat, message, 'shape')
    terms(1)%shape = [nx, ny]
    terms(1)%dim = 3
    call op%create(tridia_gradient, terms, stat=stat, errmsg=message)
    call refused(stat, message, 'dim')
    terms(1)%dim = 1
    terms(2)%in_strides = [1_int64]
    call op%create(tridia_gradient, terms, stat=stat, errmsg=message)
    call refused(stat, message, 'in_strides')
    terms(2)%in_strides = [1, nx]
    terms(2)%out_strides = [1, nx, nx]
    call op%create(tridia_gradient, terms, stat=stat, errmsg=message)
    call refused(stat, message, 'out_strides')
    terms(2)%out_strides = [1, nx]
    terms(2)%type = tridia_f32
    call op%create(tridia_gradient, terms, stat=stat, errmsg=message)
    call refused(stat, message, 'type')
  end subroutine

  subroutine queries()
    type(tridia_differential_operator) :: op, copy
    type(tridia_differential_term) :: terms(3)
    integer :: kind, counts(2)
    integer, parameter :: in(0:2) = [1, 3, 1], out(0:2) = [3, 1, 1]
    terms = along_axes(tridia_first_derivative)
    do kind = tridia_gradient, tridia_laplacian
      if (kind == tridia_gradient) call op%create_for(kind, terms, f, x, out2=y, out3=z)
      if (kind == tridia_divergence) call op%create_for(kind, terms, x, f, y, z)
      if (kind == tridia_laplacian) call op%create_for(kind, terms, f, x)
      counts = [op%in_count(), op%out_count()]
      call expect(op%kind() == kind .and. op%term_count() == 3, 'the kind, and the number of terms')
      call expect(all(counts == [in(kind), out(kind)]), 'the numbers of arrays')
      call expect(all(op%in_shape(3) == shape(f)) .and. all(op%out_shape(1) == shape(f)), 'the shapes')
      call expect(size(op%in_shape(4)) == 0 .and. size(op%out_shape(0)) == 0, 'no such term')
      call expect(op%device() == -1 .and. op%threads() > 0 .and. op%workspace_bytes() >= 0, 'a CPU')
      call expect(op%warning() == '' .and. index(op%description(), 'C6') > 0, 'texts')
      copy = op
      call op%destroy()
      call expect(copy%kind() == -1 .and. copy%term_count() == -1, 'a destroyed operator has no terms')
    end do
    call expect(op%in_count() == -1 .and. op%out_count() == -1 .and. op%backend() == -1, 'nor arrays')
    call expect(op%device() == -1 .and. op%threads() == -1 .and. op%workspace_bytes() == -1, 'nor threads')
    call expect(size(op%in_shape(1)) == 0 .and. op%warning() == '' .and. op%description() == '', 'nor texts')
    terms(1)%closure = '5-5-6-5-5'
    call op%create_for(tridia_laplacian, terms, f, x)
    call expect(index(op%warning(), 'stable') > 0, 'a closure has a warning')
    call op%destroy()
  end subroutine

  subroutine refused(stat, errmsg, word)
    integer, intent(in) :: stat
    character(*), intent(in) :: errmsg, word
    call expect(stat == tridia_invalid_argument .and. index(errmsg, word//':') == 1, &
      'refused for '//word//', not: '//trim(errmsg))
    call expect(all(x == 7), 'nothing is written')
  end subroutine
end module
