! SPDX-License-Identifier: GPL-2.0-or-later
! Matrices that are allocated once and read often.
program fine_matrix
    implicit none
    real(8), allocatable :: a(:, :), b(:, :), c(:, :)
    integer :: i, j, k
    allocate(a(60, 60), b(60, 60), c(60, 60))
    do j = 1, 60
        do i = 1, 60
            a(i, j) = i + j
            b(i, j) = i - j
        end do
    end do
    c = 0
    do j = 1, 60
        do k = 1, 60
            do i = 1, 60
                c(i, j) = c(i, j) + a(i, k) * b(k, j)
            end do
        end do
    end do
    print '(f16.2)', sum(c)
    deallocate(a, b, c)
end program
