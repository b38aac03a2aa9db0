! SPDX-License-Identifier: GPL-2.0-or-later
! Automatic arrays, which -fstack-arrays puts on the stack.
module smoothing
contains
  subroutine smooth(n, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    real(8), volatile :: next(n), weights(n)
    integer :: i
    do i = 1, n
      weights(i) = 0.5d0
    end do
    do i = 2, n
      next(i) = (u(i) + u(i - 1)) * weights(i)
    end do
    do i = 2, n
      u(i) = next(i)
    end do
  end subroutine
end module

program main
  use smoothing
  real(8) :: field(256)
  integer :: step
  field = 1
  do step = 1, 10
    call smooth(200 + step, field)
  end do
  if (field(1) < 0) stop 1
end program
