! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
program solve
  use tridia
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  implicit none
  real(real64) :: dl(100), d(100), du(100), field(8, 100, 4)
  integer(int64) :: status(4*4)
  integer(int8), allocatable :: workspace(:)
  type(tridia_plan) :: plan
  integer :: step

  dl = -1
  d = 4
  du = -1
  field = 2
  ! Along the second axis, one matrix for all lines.
  call plan%create_for(dl, d, du, field, field, dim=2)
  allocate (workspace(plan%workspace_bytes()))
  do step = 1, 10  ! in place; nothing is allocated here
    call plan%execute(dl, d, du, field, field, workspace)
  end do
  print '(a)', plan%reason()
  call plan%destroy()

  ! Every second line, at once, with a status for each; the section is not copied.
  field = 2
  call tridia_solve(dl, d, du, field(2:8:2, :, :), field(2:8:2, :, :), dim=2, status=status)
  print '(f8.6, i3)', field(2, 50, 1), status(1)
end program
