! SPDX-License-Identifier: GPL-2.0-or-later
! Each thread has columns of a matrix that do not begin at lines.
! EXPECT: FalseSharing a '.' openmp
program fortran_columns
    implicit none
    integer, parameter :: rows = 20, columns = 32
#ifdef MENDED
    integer, parameter :: pitch = 32
#else
    integer, parameter :: pitch = rows
#endif
    real(4), allocatable :: a(:, :)
    integer :: i, j, round
    allocate (a(pitch, columns))
    a = 0
    !$omp parallel num_threads(4) private(round)
    do round = 1, 60
        !$omp do schedule(static, 1) private(i)
        do j = 1, columns
            do i = 1, rows
                a(i, j) = a(i, j) * 0.5 + round
            end do
        end do
        !$omp end do nowait
    end do
    !$omp end parallel
    if (a(1, 1) <= 0) stop 1
end program
