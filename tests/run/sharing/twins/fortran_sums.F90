! SPDX-License-Identifier: GPL-2.0-or-later
! Threads add up in neighbouring elements of an array.
! EXPECT: FalseSharing sums '.' openmp
program fortran_sums
    use omp_lib
    implicit none
    integer, parameter :: threads = 4
#ifdef MENDED
    integer, parameter :: step = 8
#else
    integer, parameter :: step = 1
#endif
    real(8), volatile, save :: sums(64 + threads * 8)
    integer :: i, me, first
    sums = 0
    first = 1 + int(modulo(64 - modulo(loc(sums(1)), 64_8), 64_8) / 8)
    !$omp parallel num_threads(threads) private(me, i)
    me = first + omp_get_thread_num() * step
    do i = 1, 3000
        sums(me) = sums(me) + i * 0.5d0
    end do
    !$omp end parallel
    if (sums(first) <= 0) stop 1
end program
