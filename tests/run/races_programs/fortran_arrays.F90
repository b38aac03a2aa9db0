! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! Arrays in Fortran with OpenMP: sections, allocatable ones, COMMON, pointers, arguments, whole-array statements.
module parts
  implicit none
  integer, parameter :: n = 100
  double precision :: field(n)
  integer, pointer :: left(:), right(:)
contains
  subroutine sweep(x, from, to)
    double precision, intent(inout) :: x(:)
    integer, intent(in) :: from, to
    integer :: k
    do k = from, to
       x(k) = x(k) + 1 ! race(3): x
    end do
  end subroutine
  recursive subroutine halves(x, from, to)
    integer, intent(inout) :: x(*)
    integer, intent(in) :: from, to
    integer :: middle
    if (to - from < 10) then
       x(from:to) = x(from:to) * 2
       return
    end if
    middle = (from + to) / 2
!$omp task firstprivate(from, middle)
    call halves(x, from, middle)
!$omp end task
!$omp task firstprivate(middle, to)
    call halves(x, middle + 1, to)
!$omp end task
!$omp taskwait
  end subroutine
end module
program arrays ! race(8): common
  use parts
  implicit none
  integer :: i, j, me, numbers(n), shared_in_common
  integer, target :: whole(2 * n)
  double precision :: grid(20, 20), total
  double precision, allocatable :: made(:)
  common /box/ shared_in_common
  integer, external :: omp_get_thread_num
  grid = 1
  numbers = 1
  field = 2
  total = 0
  whole = 0
  shared_in_common = 0
#if CASE == 1
!$omp parallel do num_threads(4)
  do i = 1, n - 1
     numbers(i) = numbers(i + 1) + 1 ! race: numbers
  end do
#elif CASE == 2
!$omp parallel do num_threads(4)
  do i = 1, 4
     call sweep(field, (i - 1) * 25 + 1, i * 25)
  end do
#elif CASE == 3
!$omp parallel do num_threads(4)
  do i = 1, 4
     call sweep(field, (i - 1) * 25 + 1, min(i * 25 + 1, n))
  end do
#elif CASE == 4
!$omp parallel do num_threads(4)
  do j = 2, 20
     do i = 2, 20
        grid(i, j) = grid(i - 1, j) + 1
     end do
  end do
#elif CASE == 5
!$omp parallel do num_threads(4)
  do j = 2, 20
     do i = 2, 20
        grid(i, j) = grid(i, j - 1) + 1 ! race: grid
     end do
  end do
#elif CASE == 6
  left => whole(1:n)
  right => whole(n + 1:2 * n)
!$omp parallel do num_threads(4)
  do i = 1, n
     left(i) = left(i) + 1
     right(i) = right(i) + left(i)
  end do
#elif CASE == 7
  left => whole(1:n)
  right => whole(n:2 * n)
!$omp parallel do num_threads(4)
  do i = 1, n
     left(i) = left(i) + 1   ! race: whole
     right(i) = right(i) + 3 ! race: whole
  end do
#elif CASE == 8
!$omp parallel do num_threads(4) ! race: common
  do i = 1, n
     shared_in_common = shared_in_common + i ! race: common
  end do
#elif CASE == 9
!$omp parallel do num_threads(4) reduction(+:shared_in_common)
  do i = 1, n
     shared_in_common = shared_in_common + i
  end do
#elif CASE == 10
!$omp parallel num_threads(3)
!$omp single
  call halves(numbers, 1, n)
!$omp end single
!$omp end parallel
#elif CASE == 11
!$omp parallel num_threads(3) private(made, me)
  allocate(made(10))
  me = omp_get_thread_num()
  made = me
  made(2:9) = made(1:8) + 1
!$omp critical
  total = total + sum(made)
!$omp end critical
  deallocate(made)
!$omp end parallel
#elif CASE == 12
  allocate(made(n))
  made = 0
!$omp parallel do num_threads(4)
  do i = 1, n - 10
     made(i:i + 10) = made(i:i + 10) + 1 ! race: made
  end do
#elif CASE == 13
!$omp parallel do num_threads(4) lastprivate(me)
  do i = 1, n
     me = numbers(i) + i
     field(i) = me
  end do
  total = me
#elif CASE == 14
!$omp parallel do num_threads(4) schedule(static, 1)
  do i = 1, n
     if (field(i) * i > total) total = field(i) * i ! race: total
  end do
#elif CASE == 15
!$omp parallel num_threads(3)
!$omp do
  do i = 1, n
     field(i) = i ! race: field
  end do
!$omp end do nowait
!$omp do
  do i = 1, n
     numbers(i) = int(field(n + 1 - i)) ! race: field
  end do
!$omp end do
!$omp end parallel
#elif CASE == 16
!$omp parallel num_threads(3)
!$omp workshare
  grid(:, 1) = grid(:, 2) * 2
  grid(1, :) = grid(1, :) + 1
!$omp end workshare
!$omp end parallel
#endif
  print *, numbers(5), field(5), grid(3, 3), total, whole(5), shared_in_common
end program
