! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
program lapack_before
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: n = 64, batch = 50
  real(real64) :: dl(n - 1, batch), d(n, batch), du(n - 1, batch), b(n, batch)
  integer :: i, k, info
  external :: dgtsv

  dl = -1
  du = -1
  do k = 1, batch
    d(:, k) = 2 + k
    b(:, k) = [(i - 1, i=1, n)]
  end do
  do k = 1, batch
    call dgtsv(n, 1, dl(1, k), d(1, k), du(1, k), b(1, k), n, info)
    if (info /= 0) error stop 'singular'
  end do
  print '(f0.6)', sum(b(n/2 + 1, :))
end program
