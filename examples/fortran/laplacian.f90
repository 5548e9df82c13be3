! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
program laplacian
  use tridia
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), parameter :: h = 0.02_real64
  real(real64), dimension(48, 101, 64) :: f, fx, fy, fz, div, lap
  type(tridia_differential_operator) :: gradient, divergence, laplace
  type(tridia_differential_term) :: along(3)
  integer :: i, j, k

  do k = 1, 64
    do j = 1, 101
      do i = 1, 48
        f(i, j, k) = exp(h*(i + j - k))
      end do
    end do
  end do
  along = [(tridia_differential_term('C6', dim=i, spacing=h), i=1, 3)]
  call gradient%create_for(tridia_gradient, along, f, fx, out2=fy, out3=fz)
  call gradient%apply(f, fx, out2=fy, out3=fz)
  call divergence%create_for(tridia_divergence, along, fx, div, in2=fy, in3=fz)
  call divergence%apply(fx, div, in2=fy, in3=fz)
  along%quantity = tridia_second_derivative
  call laplace%create_for(tridia_laplacian, along, f, lap)
  call laplace%apply(f, lap)
  print '(3f10.6)', fz(24, 50, 32)/f(24, 50, 32), div(24, 50, 32)/f(24, 50, 32), &  ! -1, 3, 3
    lap(24, 50, 32)/f(24, 50, 32)
  call gradient%destroy()
  call divergence%destroy()
  call laplace%destroy()
end program
