! SPDX-License-Identifier: GPL-2.0-or-later
!
! Mistakes by the module mpi, in the way of bugs.h: arrays in COMMON blocks, sections that are copied for a call, automatic arrays.
program fortran_mpi
    use mpi
    implicit none
    integer :: rank, other, code, request, copy, win, pair, status(MPI_STATUS_SIZE), requests(2)
    logical :: wrong
    character(40) :: name, word
    double precision :: field(8), edge(8), sums(8)
    common /fields/ field, edge, sums

    if (command_argument_count() /= 2) then
        print '(a)', 'mpi_section MpiBufferInUse 2', 'mpi_precision MpiTypes 2', 'mpi_same_buffer MpiOverlap|MpiError 2', &
            'mpi_persistent MpiBufferInUse 2', 'mpi_window MpiRace 2', 'mpi_lost MpiRequest 2', &
            'mpi_order MpiCollective|MpiDeadlock 2', 'mpi_all_receive MpiDeadlock 2', 'mpi_type_kept MpiLeak 2', &
            'mpi_automatic MpiBufferInUse 2', 'mpi_never_set MpiBuffer 2', 'mpi_too_long MpiTruncation 2'
        stop
    end if
    call get_command_argument(1, name)
    call get_command_argument(2, word)
    wrong = word == '1'
    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    other = 1 - rank
    field = rank
    edge = 0
    sums = 0
    select case (name)
    case ('mpi_section')
        if (rank == 0) then
            if (wrong) then
                call MPI_Issend(field(1:7:2), 4, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, code)
            else
                call MPI_Issend(field(1:4), 4, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, code)
            end if
            call MPI_Wait(request, status, code)
        else
            call MPI_Recv(edge, 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, code)
        end if
    case ('mpi_precision')
        if (rank == 0) call MPI_Send(field, 4, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, code)
        if (rank == 1) call MPI_Recv(edge, 8, merge(MPI_REAL, MPI_DOUBLE_PRECISION, wrong), 0, 0, MPI_COMM_WORLD, status, code)
    case ('mpi_same_buffer')
        if (wrong) then
            call MPI_Allreduce(field, field, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
        else
            call MPI_Allreduce(MPI_IN_PLACE, field, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
        end if
    case ('mpi_persistent')
        call MPI_Recv_init(edge, 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, requests(1), code)
        call MPI_Send_init(field, 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, requests(2), code)
        call MPI_Startall(2, requests, code)
        if (wrong) field(3) = 5
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, code)
        field(3) = 6
        call MPI_Request_free(requests(1), code)
        call MPI_Request_free(requests(2), code)
    case ('mpi_window')
        call MPI_Win_create(field, 64_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, code)
        call MPI_Win_fence(0, win, code)
        if (rank == 0) call MPI_Put(edge, 2, MPI_DOUBLE_PRECISION, 1, 2_MPI_ADDRESS_KIND, 2, MPI_DOUBLE_PRECISION, win, code)
        if (rank == 1) field(merge(4, 6, wrong)) = 1
        call MPI_Win_fence(0, win, code)
        call MPI_Win_free(win, code)
    case ('mpi_lost')
        if (rank == 0) call MPI_Isend(field, 8, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, code)
        if (rank == 0 .and. .not. wrong) call MPI_Wait(request, status, code)
        if (rank == 1) call MPI_Recv(edge, 8, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, code)
    case ('mpi_order')
        if (wrong .and. rank == 1) call MPI_Barrier(MPI_COMM_WORLD, code)
        call MPI_Allreduce(field, sums, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
        if (.not. wrong .or. rank == 0) call MPI_Barrier(MPI_COMM_WORLD, code)
    case ('mpi_all_receive')
        if (wrong .or. rank == 0) call MPI_Recv(edge, 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, status, code)
        if (wrong .or. rank == 1) call MPI_Send(field, 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, code)
    case ('mpi_type_kept')
        call MPI_Type_vector(2, 1, 4, MPI_DOUBLE_PRECISION, pair, code)
        call MPI_Type_commit(pair, code)
        call MPI_Sendrecv(field, 1, pair, other, 0, edge, 1, pair, other, 0, MPI_COMM_WORLD, status, code)
        if (.not. wrong) call MPI_Type_free(pair, code)
    case ('mpi_automatic')
        call begin_with(8)
        call other_work(8)
        if (wrong) call MPI_Wait(request, status, code)
    case ('mpi_never_set')
        call part_set(merge(7, 8, wrong))
    case ('mpi_too_long')
        if (rank == 0) call MPI_Send(field, 8, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, code)
        if (rank == 1) call MPI_Recv(edge, merge(6, 8, wrong), MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, code)
    end select
    call MPI_Finalize(code)
contains
    subroutine begin_with(n)
        integer, intent(in) :: n
        double precision :: own(n)
        own = rank
        call MPI_Irecv(own, n, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, request, code)
        call MPI_Send(field, 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, code)
        if (.not. wrong) call MPI_Wait(request, status, code)
    end subroutine
    subroutine other_work(n)
        integer, intent(in) :: n
        double precision :: work(n)
        work = 3
        sums(1) = sum(work)
    end subroutine
    subroutine part_set(n)
        integer, intent(in) :: n
        double precision, allocatable :: block(:)
        allocate (block(8))
        block(1:n) = rank
        call MPI_Allreduce(block, sums, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
    end subroutine
end program
