! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
program first
  use tridia
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64) :: off(100), d(100)
  real(real64), allocatable :: field(:, :, :)

  off = -1
  d = 4
  allocate (field(48, 100, 64))
  field = 2
  call tridia_solve(off, d, off, field, field, dim=2)  ! lines along the middle axis
  print '(f8.6)', field(1, 51, 1)  ! 1.000000
end program
