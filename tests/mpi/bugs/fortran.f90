! SPDX-License-Identifier: GPL-2.0-or-later
!
! Mistakes by the module mpi_f08, in the way of bugs.h.
program fortran
    use mpi_f08
    implicit none
    integer :: rank, other, sums(4), mine(4) = [1, 2, 3, 4]
    integer, asynchronous :: values(4)
    logical :: wrong
    character(40) :: name, word
    type(MPI_Request) :: request, requests(2)
    type(MPI_Comm) :: copy
    type(MPI_Datatype) :: pair, again
    type(MPI_Status) :: status

    if (command_argument_count() /= 2) then
        print '(a)', 'f08_never_waited MpiRequest 2', 'f08_changed_early MpiBufferInUse 2', 'f08_leaks MpiLeak 2', &
            'f08_other_type MpiTypes 2', 'f08_other_root MpiCollective 2', 'f08_deadlock MpiDeadlock 2', &
            'f08_invalid_rank MpiError 2', 'f08_too_long MpiTruncation 2', 'f08_short_block MpiBuffer 2', &
            'f08_freed_type MpiError 2', 'f08_overwritten MpiRequest 2', 'f08_no_finalize MpiLeak 2'
        stop
    end if
    call get_command_argument(1, name)
    call get_command_argument(2, word)
    wrong = word == '1'
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    other = 1 - rank
    values = 0
    select case (name)
    case ('f08_never_waited')
        if (rank == 0) then
            call MPI_Isend(mine, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request)
            if (.not. wrong) call MPI_Wait(request, MPI_STATUS_IGNORE)
        else
            call MPI_Recv(values, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end if
    case ('f08_changed_early')
        if (rank == 0) then
            call MPI_Issend(values, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request)
            if (wrong) values(2) = 7
            call MPI_Wait(request, status)
            values(2) = 8
        else
            call MPI_Recv(mine, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status)
        end if
    case ('f08_leaks')
        call MPI_Comm_dup(MPI_COMM_WORLD, copy)
        if (.not. wrong) call MPI_Comm_free(copy)
    case ('f08_other_type')
        if (rank == 0) call MPI_Send(mine, 4, MPI_INTEGER, 1, 3, MPI_COMM_WORLD)
        if (rank == 1 .and. wrong) call MPI_Recv(values, 4, MPI_REAL, 0, 3, MPI_COMM_WORLD, status)
        if (rank == 1 .and. .not. wrong) call MPI_Recv(values, 4, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, status)
    case ('f08_other_root')
        call MPI_Bcast(values, 4, MPI_INTEGER, merge(rank, 0, wrong), MPI_COMM_WORLD)
    case ('f08_deadlock')
        if (wrong .or. rank == 0) call MPI_Recv(values, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, status)
        call MPI_Send(mine, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD)
        if (.not. wrong .and. rank == 1) call MPI_Recv(values, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, status)
    case ('f08_invalid_rank')
        call MPI_Sendrecv(mine, 4, MPI_INTEGER, merge(5, other, wrong), 0, values, 4, MPI_INTEGER, other, 0, &
                          MPI_COMM_WORLD, status)
    case ('f08_too_long')
        if (rank == 0) call MPI_Send(mine, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
        if (rank == 1) call MPI_Recv(values, merge(3, 4, wrong), MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status)
    case ('f08_short_block')
        call short_block(merge(3, 4, wrong))
    case ('f08_freed_type')
        call MPI_Type_contiguous(2, MPI_INTEGER, pair)
        call MPI_Type_commit(pair)
        again = pair
        if (wrong) call MPI_Type_free(pair)
        call MPI_Sendrecv(mine, 2, again, other, 0, values, 2, again, other, 0, MPI_COMM_WORLD, status)
        if (.not. wrong) call MPI_Type_free(pair)
    case ('f08_overwritten')
        if (rank == 0) then
            call MPI_Isend(mine, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, requests(1))
            call MPI_Isend(mine(2), 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, requests(merge(1, 2, wrong)))
            call MPI_Waitall(merge(1, 2, wrong), requests, MPI_STATUSES_IGNORE)
        else
            call MPI_Recv(values, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status)
            call MPI_Recv(values, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status)
        end if
    case ('f08_no_finalize')
        call MPI_Allreduce(mine, sums, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        if (wrong) stop
    end select
    call MPI_Finalize()
contains
    subroutine short_block(elements)
        integer, intent(in) :: elements
        integer, allocatable :: block(:)
        allocate (block(elements))
        block = rank
        call MPI_Allreduce(block, sums, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end subroutine
end program
