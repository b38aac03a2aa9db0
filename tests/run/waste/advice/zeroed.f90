! SPDX-License-Identifier: GPL-2.0-or-later
! Wasteful: the new grid is zero before each of its points gets its value. FIXED: it is not.
module relaxation
    implicit none
contains
    subroutine step(new, old, n)
        integer, intent(in) :: n
        real(8), intent(out) :: new(n, n)
        real(8), intent(in) :: old(n, n)
        integer :: i, j
#ifndef FIXED
        new = 0.0d0 ! WASTE: initialised
#endif
        do j = 2, n - 1
            do i = 2, n - 1
                new(i, j) = old(i, j) * 0.5d0 + old(i, j) * old(i, j)
            end do
        end do
    end subroutine
end module

program main
    use relaxation
    implicit none
    integer, parameter :: n = 150
    real(8) :: a(n, n), b(n, n)
    integer :: round, rounds
    character(20) :: word
    rounds = 20
    call get_command_argument(1, word)
    if (word /= '') read (word, *) rounds
    a = 0.01d0
    b = 0.01d0
    do round = 1, rounds
        call step(b, a, n)
        call step(a, b, n)
        a(75, 75) = 0.3d0 + round * 0.001d0
    end do
    print *, a(75, 75), a(80, 80)
end program
