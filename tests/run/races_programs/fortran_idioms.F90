! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! Idioms of Fortran programs: module variables, array sections, allocatable arrays, saved locals, atomics as flags.
module shared_data
  implicit none
  integer, parameter :: n = 240
  double precision :: field(0:n + 1), total
  integer :: ready, value, order(n)
contains
  integer function next_of(i)
    integer, intent(in) :: i
    integer, save :: calls = 0
#if CASE == 1
    calls = calls + 1 ! race: calls
#endif
    next_of = i + 1 + calls * 0
  end function
end module
program idioms
  use shared_data
  implicit none
  double precision, allocatable :: work(:, :)
  integer :: i, j, seen
  double precision :: t
  allocate (work(n, 4))
  work = 0
  field = 1
  do i = 1, n
     order(i) = 1 + mod(i * 2, n)
  end do
  t = 0
  total = 0
#if CASE == 1
!$omp parallel do num_threads(4) ! race: calls
  do i = 1, n
     work(i, 1) = next_of(i) ! race: calls
  end do
#elif CASE == 2
!$omp parallel do num_threads(4) private(t)
  do i = 1, n
     t = field(i) * 2
     work(i, 1) = t
  end do
#elif CASE == 3
!$omp parallel do num_threads(4) schedule(static, 4)
  do i = 1, n
     field(order(i)) = field(order(i)) + i ! race: field
  end do
#elif CASE == 4
!$omp parallel do num_threads(4) private(i)
  do j = 1, 4
     do i = 1, n
        work(i, j) = work(i, j) + field(i)
     end do
  end do
#elif CASE == 5
!$omp parallel do num_threads(4) schedule(static, 8) ! race: field
  do i = 2, n
     field(i) = field(i - 1) + 1 ! race: field
  end do
#elif CASE == 6
!$omp parallel num_threads(2) private(seen)
!$omp sections
!$omp section
  value = 5
!$omp atomic write seq_cst
  ready = 1
!$omp section
  seen = 0
  do while (seen == 0)
!$omp atomic read seq_cst
     seen = ready
  end do
  order(1) = value
!$omp end sections
!$omp end parallel
#elif CASE == 7
!$omp parallel do num_threads(4) reduction(+ : total)
  do i = 1, n
     total = total + field(i)
  end do
#elif CASE == 8
!$omp parallel do num_threads(4) ! race: total
  do i = 1, n
     total = total + field(i) ! race: total
  end do
#endif
  print *, field(3), work(2, 1), total, order(1)
  deallocate (work)
end program
