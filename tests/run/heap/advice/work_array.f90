! SPDX-License-Identifier: GPL-2.0-or-later
! A work array is allocated and freed in each call.
module smoothing
    implicit none
contains
    subroutine smooth(values, work)
        real(8), intent(inout) :: values(:), work(:)
        integer :: i
#ifndef FIXED
        real(8), allocatable :: own(:)
        allocate(own(size(values))) ! ADVICE: temporary: keep one block
        own = values
        do i = 2, size(values) - 1
            values(i) = .5d0 * own(i) + .25d0 * (own(i - 1) + own(i + 1))
        end do
        deallocate(own)
#else
        work = values
        do i = 2, size(values) - 1
            values(i) = .5d0 * work(i) + .25d0 * (work(i - 1) + work(i + 1))
        end do
#endif
    end subroutine
end module

program work_array
    use smoothing
    implicit none
    real(8) :: values(24), work(24)
    integer :: i
    values = [(mod(i * 7, 24) * 1d0, i = 1, 24)]
    do i = 1, 4000
        call smooth(values, work)
    end do
    print '(f12.6)', sum(values)
end program
