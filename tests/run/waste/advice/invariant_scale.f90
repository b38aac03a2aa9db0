! SPDX-License-Identifier: GPL-2.0-or-later
! Wasteful: the scale may be one of the elements (target), so it is loaded for each. FIXED: a local copy.
module scaling
    implicit none
contains
    subroutine scale_all(values, scale, n)
        real(8), pointer, intent(in) :: values(:)
        real(8), pointer, intent(in) :: scale
        integer, intent(in) :: n
        integer :: i
#ifdef FIXED
        real(8) :: factor
        factor = scale
        do i = 1, n
            values(i) = values(i) * factor + 1.0d0
        end do
#else
        do i = 1, n
            values(i) = values(i) * scale + 1.0d0 ! WASTE: invariant
        end do
#endif
    end subroutine
end module

program main
    use scaling
    implicit none
    integer, parameter :: n = 4000
    real(8), pointer :: values(:), scale
    integer :: round, rounds
    character(20) :: word
    rounds = 50
    call get_command_argument(1, word)
    if (word /= '') read (word, *) rounds
    allocate (values(n), scale)
    values = 1.0d0
    do round = 1, rounds
        scale = 0.9d0 + round * 0.0001d0
        call scale_all(values, scale, n)
    end do
    print *, values(17)
end program
