! SPDX-License-Identifier: GPL-2.0-or-later
!
! Arrays that Fortran allocates: a module's, a pointer's, an argument-sized one, two on one line.
module fields
  implicit none
  real(8), allocatable :: grid(:, :)
  type cell
    real(8) :: x, y
  end type
  type(cell), allocatable :: cells(:)
contains
  subroutine prepare(n)
    integer, intent(in) :: n
    integer :: i
    allocate(grid(n, n), cells(n))
    grid = 1
    do i = 1, n
      cells(i)%x = i
      cells(i)%y = grid(i, i)
    end do
  end subroutine
  real(8) function smooth(n)
    integer, intent(in) :: n
    real(8), allocatable :: left(:), right(:)
    real(8) :: scratch(n)
    integer :: i
    allocate(left(n))
    allocate(right(2 * n))
    do i = 1, n
      left(i) = cells(i)%x
      right(i) = left(i)
      right(n + i) = 1
      scratch(i) = right(i) * right(n + i)
    end do
    call scale(scratch, n)
    smooth = sum(scratch) + sum(left) + sum(right)
  end function
  subroutine scale(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    x = x * 1.5d0
  end subroutine
end module
program allocated
  use fields
  implicit none
  real(8), pointer :: sums(:)
  integer :: i
  allocate(sums(30))
  call prepare(30)
  do i = 1, 30
    sums(i) = smooth(30)
  end do
  print *, sum(sums) + sum(grid)
end program
