! SPDX-License-Identifier: GPL-2.0-or-later
! A module's variables, those of its procedures and of one inside these, a saved one, and an allocatable array.
module state
  implicit none
  integer :: counts(64) = 0
  double precision :: field(128)
contains
  subroutine step(n)
    integer, intent(in) :: n
    integer :: i
    integer, save :: calls = 0
    double precision :: work(128)
    calls = calls + 1
    do i = 1, n
      work(i) = field(i) * 2
    end do
    call add(work, n)
  contains
    subroutine add(w, m)
      integer, intent(in) :: m
      double precision, intent(in) :: w(m)
      double precision :: local(128)
      integer :: k
      do k = 1, m
        local(k) = w(k)
      end do
      call change(local, m)
    end subroutine
  end subroutine
  subroutine change(values, m)
    integer, intent(in) :: m
    double precision, intent(in) :: values(m)
    integer :: k
    do k = 1, m
      field(k) = values(k) / 2
      counts(mod(k, 64) + 1) = k
    end do
  end subroutine
end module
program main
  use state
  implicit none
  integer :: round
  field = 1
  do round = 1, 10
    call step(128)
  end do
  print *, sum(field), sum(counts)
end program
