! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
program lapack_after
  use tridia
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: n = 64, batch = 50
  real(real64) :: dl(n - 1, batch), d(n, batch), du(n - 1, batch), b(n, batch)
  integer(int64) :: info(batch)
  integer :: i, k

  dl = -1
  du = -1
  do k = 1, batch
    d(:, k) = 2 + k
    b(:, k) = [(i - 1, i=1, n)]
  end do
  call tridia_solve(dl, d, du, b, b, dim=1, status=info)
  if (any(info /= 0)) error stop 'singular'
  print '(f0.6)', sum(b(n/2 + 1, :))
end program
