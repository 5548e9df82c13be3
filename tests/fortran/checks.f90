! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
!> This module counts what is not as it should be.
module checks
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: checked = 0, wrong = 0

  interface
    integer(c_int) function same_as_cpp(type, rank, extents, strides, dim, boundary, pivoting, dl, d, &
        du, rhs, x, bytes) bind(C)
      import
      integer(c_int), value :: type, rank, dim, boundary, pivoting
      integer(c_int64_t), intent(in) :: extents(*), strides(*)
      type(c_ptr), value :: dl, d, du, rhs, x
      integer(c_int64_t), value :: bytes
    end function
  end interface
contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    checked = checked + 1
    if (good) return
    wrong = wrong + 1
    print '(2a)', 'not so: ', what
  end subroutine
end module
