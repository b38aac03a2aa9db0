! SPDX-License-Identifier: GPL-2.0-or-later
! Allocatable arrays: of the main program, of a module and of a procedure.
module fields
    double precision, allocatable :: wave(:, :, :)
end module

program planes
    use fields
    implicit none
    double precision, allocatable :: grid(:, :)
    integer :: i, k
    allocate(grid(0:29, 20))
    allocate(wave(10, 12, 14))
    grid = 0
    wave = 0
    do i = 1, 20
        grid(7, i) = 1d0 / (i + 2)
    end do
    do k = 1, 14
        wave(:, 1, k) = 1d0 / (k + 2)
        wave(:, 7, k) = 1d0 / (k + 3)
    end do
    print *, sum(grid), sum(wave)
    deallocate(grid)
    call inner()
contains
    subroutine inner()
        double precision, allocatable :: work(:, :)
        integer :: m
        allocate(work(16, 24))
        work = 0
        do m = 1, 16
            work(m, 3) = 1d0 / (m + 4)
        end do
        print *, sum(work)
    end subroutine
end program
