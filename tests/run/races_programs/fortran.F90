! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! Fortran with OpenMP: COMMON blocks, arrays, reductions, critical sections, private variables.
program races
  implicit none
  integer, parameter :: n = 400
  double precision :: a(n + 1), b(n + 1), total
  integer :: i, k, places(n)
  double precision :: kept
  common /numbers/ kept
  total = 0
  kept = 0
  k = 0
  do i = 1, n + 1
     a(i) = i
     b(i) = 0
  end do
  do i = 1, n
     places(i) = i
  end do
#if CASE == 1
!$omp parallel do num_threads(4) schedule(static, 1)
  do i = 1, n
     a(i) = a(i + 1) + 1 ! race: a
  end do
#elif CASE == 2
!$omp parallel do num_threads(4)
  do i = 1, n
     b(i) = a(i + 1) + 1
  end do
#elif CASE == 3
!$omp parallel do num_threads(4)
  do i = 1, n
     k = i ! race: k
     b(i) = k ! race: k
  end do
#elif CASE == 4
!$omp parallel do num_threads(4) private(k)
  do i = 1, n
     k = i
     b(i) = k
  end do
#elif CASE == 5
!$omp parallel do num_threads(4)
  do i = 1, n
     total = total + a(i) ! race: total
  end do
#elif CASE == 6
!$omp parallel do num_threads(4) reduction(+:total)
  do i = 1, n
     total = total + a(i)
  end do
#elif CASE == 7
!$omp parallel do num_threads(4)
  do i = 1, n
     kept = a(i) ! race: kept
  end do
#elif CASE == 8
!$omp parallel do num_threads(4)
  do i = 1, n
!$omp critical
     kept = kept + a(i)
!$omp end critical
  end do
#elif CASE == 9
!$omp parallel do num_threads(4)
  do i = 1, n
!$omp atomic
     kept = kept + a(i)
  end do
#elif CASE == 10
  do i = 1, n
     places(i) = mod(i, 5) + 1
  end do
!$omp parallel do num_threads(4)
  do i = 1, n
     b(places(i)) = a(i) ! race: b
  end do
#elif CASE == 11
!$omp parallel num_threads(4)
!$omp single
  kept = 3
!$omp end single nowait
  b(1 + int(kept) * 0) = 0 ! race: b
!$omp end parallel
#elif CASE == 12
!$omp parallel num_threads(4)
!$omp do
  do i = 1, n
     a(i) = i
  end do
!$omp do
  do i = 1, n
     b(i) = a(n + 1 - i)
  end do
!$omp end parallel
#endif
  print *, (total + kept + a(1) + b(1) + k) * 0
end program races
