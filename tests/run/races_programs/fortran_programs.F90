! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! Fortran with OpenMP as programs use it: modules, WORKSHARE, tasks with dependences, array reductions, tickets.
module counters
  implicit none
  integer :: calls = 0
  integer :: own_calls = 0
!$omp threadprivate(own_calls)
contains
  subroutine called()
#if CASE == 1
    calls = calls + 1 ! race: calls
#elif CASE == 2
!$omp atomic
    calls = calls + 1
#elif CASE == 3
    own_calls = own_calls + 1
#endif
  end subroutine
end module
program programs
  use counters
  implicit none
  integer, parameter :: n = 64
  integer :: i, j, place, next, bins(8), out(n), numbers(n)
  double precision :: grid(n, n), row(n), total
  double precision, allocatable :: sums(:)
  allocate(sums(8))
  sums = 0
  bins = 0
  out = 0
  next = 0
  total = 0
  grid = 1
  row = 2
  do i = 1, n
     numbers(i) = mod(i * 7, 64)
  end do
#if CASE == 1 || CASE == 2 || CASE == 3
!$omp parallel do num_threads(4)
  do i = 1, n
     call called()
  end do
#elif CASE == 4
!$omp parallel workshare num_threads(4)
  row = row * 2
  out = numbers + 1
!$omp end parallel workshare
#elif CASE == 5
!$omp parallel do num_threads(4) reduction(+:bins)
  do i = 1, n
     bins(mod(numbers(i), 8) + 1) = bins(mod(numbers(i), 8) + 1) + 1
  end do
#elif CASE == 6
!$omp parallel do num_threads(4)
  do i = 1, n
     bins(mod(numbers(i), 8) + 1) = bins(mod(numbers(i), 8) + 1) + 1 ! race: bins
  end do
#elif CASE == 7
!$omp parallel do num_threads(4) private(place)
  do i = 1, n
!$omp atomic capture
     next = next + 1
     place = next
!$omp end atomic
     out(place) = numbers(i)
  end do
#elif CASE == 8
!$omp parallel num_threads(4)
!$omp single
  do i = 1, 8
!$omp task depend(out: sums(i)) firstprivate(i)
     sums(i) = i * 2
!$omp end task
!$omp task depend(in: sums(i)) depend(inout: total) firstprivate(i)
     total = total + sums(i)
!$omp end task
  end do
!$omp end single
!$omp end parallel
#elif CASE == 9
!$omp parallel num_threads(4)
!$omp single
  do i = 1, 8
!$omp task depend(out: sums(i)) firstprivate(i)
     sums(i) = i * 2
!$omp end task
!$omp task depend(in: sums(i)) firstprivate(i)
     total = total + sums(i) ! race: total
!$omp end task
  end do
!$omp end single
!$omp end parallel
#elif CASE == 10
!$omp parallel do num_threads(4) collapse(2)
  do j = 2, n - 1
     do i = 2, n - 1
        grid(i, j) = grid(i, j - 1) + 1 ! race: grid
     end do
  end do
#elif CASE == 11
!$omp parallel do num_threads(4) private(j) reduction(max:total)
  do i = 1, n
     do j = 1, n
        total = max(total, grid(j, i))
     end do
  end do
#elif CASE == 12
!$omp parallel do num_threads(4) schedule(static, 1)
  do i = 1, n
     if (numbers(i) > total) total = numbers(i) ! race: total
  end do
#endif
  print *, calls, own_calls, next, total, sum(out), sum(bins), sum(grid), sum(row)
end program
