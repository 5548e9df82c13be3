! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
program derivative
  use tridia
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), parameter :: h = 0.02_real64
  real(real64) :: f(48, 101), df(48, 101)
  type(tridia_operator) :: ddy
  integer :: j

  do j = 1, 101
    f(:, j) = exp(h*j)
  end do
  call ddy%create_for('C6', f, df, dim=2, spacing=h)  ! closed by 3-4-6-4-3
  call ddy%apply(f, df)
  print '(f8.6)', df(1, 50)/f(1, 50)  ! 1.000000
  call ddy%destroy()
end program
