! SPDX-License-Identifier: GPL-2.0-or-later
!
! Mistakes with the module mpi_f08, each with its rank and kind. For two ranks. Sections of arrays with a stride are
! copied by the library or the compiler, and correct.
program fortran_misuse
  use mpi_f08
  implicit none
  integer :: rank
  real(8), allocatable :: a(:), b(:), c(:,:), d(:,:)
  integer, allocatable :: k(:)
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  type(MPI_Datatype) :: part

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  allocate(a(100), b(100), c(10, 10), k(50))
  b = 0
  k = rank
  c = rank
  a(1:50) = 1

  if (rank == 0) then
    call MPI_Send(a, 100, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD)  ! // expect: 0 MpiBuffer
  else
    call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, status)
  end if

  a = 2
  if (rank == 0) then
    call MPI_Isend(a, 100, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD, request)
    a(7) = 3  ! // expect: 0 MpiBufferInUse
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  else
    call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end if

  if (rank == 0) then
    call MPI_Send(c(1, :), 10, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD)
    call MPI_Recv(c(2, :), 10, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, status)
  else
    call MPI_Recv(c(1, :), 10, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, status)
    call MPI_Send(c(1, :), 10, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD)
  end if

  if (rank == 0) then
    call MPI_Send(k, 40, MPI_INTEGER, 1, 4, MPI_COMM_WORLD)
  else
    call MPI_Irecv(k, 60, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, request)  ! // expect: 1 MpiBuffer
    call MPI_Wait(request, status)
  end if

  if (rank == 0) then
    call MPI_Send(a, 4, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD)
  else
    call MPI_Recv(k, 8, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, status)  ! // expect: 1 MpiTypes
  end if

  ! Every second row, those of process 0; the others have no values.
  call MPI_Type_create_darray(2, 0, 2, [10, 10], [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE], &
      [MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG], [2, 1], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, part)
  call MPI_Type_commit(part)
  allocate(d(10, 10))
  if (rank == 0) then
    d(1::2, 1:9) = 1
    d(1:7:2, 10) = 1
    call MPI_Send(d, 1, part, 1, 7, MPI_COMM_WORLD)  ! // expect: 0 MpiBuffer
    d(9, 10) = 1
    call MPI_Send(d, 1, part, 1, 7, MPI_COMM_WORLD)
  else
    call MPI_Recv(d, 1, part, 0, 7, MPI_COMM_WORLD, status)
    call MPI_Recv(d, 50, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, status)
  end if
  call MPI_Type_free(part)

  if (rank == 0) then
    call MPI_Irecv(b, 1, MPI_DOUBLE_PRECISION, 1, 6, MPI_COMM_WORLD, request)  ! // expect: 0 MpiRequest
  end if
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
end program
