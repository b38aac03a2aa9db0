! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! Kinds of variables of Fortran under kinds of constructs, each right and wrong.
module fields
    implicit none
    type :: cell
        integer :: id = 0
        real :: mass = 0
        real, allocatable :: parts(:)
        type(cell), pointer :: next => null()
    end type
    integer, parameter :: n = 60
    integer :: shared_sum = 0
    integer, save :: own = 0
    !$omp threadprivate(own)
    real, allocatable :: field(:, :)
    real, pointer :: window(:)
    type(cell), target :: cells(n)
contains
    subroutine smooth(line)
        real, intent(inout) :: line(:)
        integer :: i
        do i = 2, size(line)
            line(i) = line(i - 1) * 0.5
        end do
    end subroutine
    subroutine count_up(by)
        integer, intent(in) :: by
        integer, save :: calls = 0
        calls = calls + by  ! race(10): calls
    end subroutine
    recursive subroutine tree(depth)
        integer, intent(in) :: depth
        if (depth == 0) return
        !$omp task
        call tree(depth - 1)
        !$omp end task
        call tree(depth - 1)
        !$omp atomic
        shared_sum = shared_sum + 1
    end subroutine
end module

program kinds  ! race(6): common
    use omp_lib
    use fields
    implicit none
    integer :: i, k, last, t, places(n)
    real :: a(n + 1), temporary, total
    real, target :: block(2 * n)
    real, allocatable :: local(:)
    integer :: common_count
    common /counters/ common_count
    allocate (field(n, n), local(n + 1))
    field = 1; local = 1; a = 1; total = 0; common_count = 0; block = 0; last = 0
    places = [(mod(i * 7, n) + 1, i=1, n)]
#if CASE == 1
    !$omp parallel do num_threads(4)
    do k = 1, n
        call smooth(field(:, k))
    end do
#elif CASE == 2
    !$omp parallel do num_threads(4)
    do k = 2, n
        field(:, k) = field(:, k - 1) + 1  ! race: field
    end do
#elif CASE == 3
    !$omp parallel do num_threads(4)
    do i = 1, n
        local(i) = local(i + 1) + 1  ! race: local
    end do
#elif CASE == 4
    !$omp parallel do num_threads(4) private(temporary)
    do i = 1, n
        temporary = i * 2.0
        local(i) = temporary
    end do
#elif CASE == 5
    !$omp parallel do num_threads(4)
    do i = 1, n
        temporary = i * 2.0  ! race: temporary
        local(i) = temporary  ! race: temporary
    end do
#elif CASE == 6
    !$omp parallel do num_threads(4)
    do i = 1, n
        common_count = common_count + i  ! race: common
    end do
#elif CASE == 7
    !$omp parallel do num_threads(4) reduction(+:common_count)
    do i = 1, n
        common_count = common_count + i
    end do
#elif CASE == 8
    window => block(n / 2:)
    !$omp parallel do num_threads(4)
    do i = 1, n
        window(i) = block(i) + 1  ! race: window
    end do
#elif CASE == 9
    window => block(n + 1:)
    !$omp parallel do num_threads(4)
    do i = 1, n
        window(i) = block(i) + 1
    end do
#elif CASE == 10
    !$omp parallel do num_threads(4)
    do i = 1, n
        call count_up(i)
    end do
#elif CASE == 11
    !$omp parallel num_threads(4)
    !$omp single
    call tree(4)
    !$omp end single
    !$omp end parallel
#elif CASE == 12
    !$omp parallel do num_threads(4)
    do i = 1, n
        cells(i)%mass = cells(i)%mass + 1
        if (i < n) cells(i)%next => cells(i + 1)
    end do
#elif CASE == 13
    !$omp parallel do num_threads(4)
    do i = 1, n - 1
        cells(i)%mass = cells(i + 1)%mass + 1  ! race: mass
    end do
#elif CASE == 14
    do i = 1, n
        allocate (cells(i)%parts(4))
        cells(i)%parts = 0
    end do
    !$omp parallel do num_threads(4)
    do i = 1, n
        cells(1 + mod(i, 3))%parts(2) = i  ! race: parts
    end do
#elif CASE == 15
    !$omp parallel num_threads(4)
    own = omp_get_thread_num()
    !$omp end parallel
    !$omp parallel num_threads(4) reduction(+:shared_sum)
    shared_sum = shared_sum + own
    !$omp end parallel
#elif CASE == 16
    !$omp parallel sections num_threads(2)
    !$omp section
    shared_sum = 1  ! race: section
    !$omp section
    last = shared_sum  ! race: section
    !$omp end parallel sections
#elif CASE == 17
    !$omp parallel num_threads(4)
    !$omp workshare
    a(1:n) = local(1:n) * 2
    local(1:n) = a(1:n) + 1
    !$omp end workshare
    !$omp end parallel
#elif CASE == 18
    !$omp parallel num_threads(4)
    !$omp do
    do i = 1, n
        a(i) = i  ! race: nowait
    end do
    !$omp end do nowait
    !$omp do schedule(static, 2)
    do i = 1, n
        local(i) = a(n + 1 - i)  ! race: nowait
    end do
    !$omp end do
    !$omp end parallel
#elif CASE == 19
    !$omp parallel do num_threads(4)
    do i = 1, n
        a(places(i)) = i
    end do
#elif CASE == 20
    places = [(i / 2 + 1, i=1, n)]
    !$omp parallel do num_threads(4) schedule(static, 1)
    do i = 1, n
        a(places(i)) = a(places(i)) + i  ! race: places
    end do
#elif CASE == 21
    !$omp parallel do num_threads(4) lastprivate(last)
    do i = 1, n
        last = i
    end do
#elif CASE == 22
    !$omp parallel num_threads(4)
    !$omp critical (one)
    total = total + 1
    !$omp end critical (one)
    !$omp end parallel
#elif CASE == 23
    !$omp parallel num_threads(2) private(t)
    t = omp_get_thread_num()
    if (t == 0) then
        !$omp critical (one)
        total = total + 1  ! race: total
        !$omp end critical (one)
    else
        !$omp critical (two)
        total = total + 1  ! race: total
        !$omp end critical (two)
    end if
    !$omp end parallel
#elif CASE == 24
    !$omp parallel do num_threads(4) collapse(2)
    do k = 1, n
        do i = 1, n
            field(i, k) = i * k
        end do
    end do
#elif CASE == 25
    !$omp parallel do num_threads(4)
    do k = 1, n - 1
        do i = 1, n
            field(i, k) = field(i, k + 1)  ! race: field
        end do
    end do
#elif CASE == 26
    !$omp parallel num_threads(4)
    !$omp single
    do i = 1, 6
        !$omp task depend(inout: total) firstprivate(i)
        total = total + i
        !$omp end task
    end do
    !$omp end single
    !$omp end parallel
#elif CASE == 27
    !$omp parallel num_threads(4)
    !$omp single
    do i = 1, 6
        !$omp task firstprivate(i) shared(total)
        total = total + i  ! race: total
        !$omp end task
    end do
    !$omp end single
    !$omp end parallel
#elif CASE == 28
    !$omp parallel do ordered num_threads(4)
    do i = 2, n
        !$omp ordered
        a(i) = a(i - 1) + 1
        !$omp end ordered
    end do
#endif
    print *, sum(a), sum(local), sum(field), total, shared_sum, common_count, last, cells(3)%mass, own
end program
