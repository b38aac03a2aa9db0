! SPDX-License-Identifier: GPL-2.0-or-later
!
! A correct program with mpif.h: ranks exchange rows of their part of a grid, which have a stride.
      program halo
      implicit none
      include 'mpif.h'
      integer n, steps
      parameter (n=40, steps=10)
      double precision u(0:n+1,0:n+1), v(0:n+1,0:n+1), change, sum
      integer rank, ranks, error, up, down, i, j, step
      integer requests(4), statuses(MPI_STATUS_SIZE,4), row, grid
      integer shape(1)
      logical periods(1)
      call MPI_INIT(error)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
      shape(1)=ranks
      periods(1)=.false.
      call MPI_CART_CREATE(MPI_COMM_WORLD,1,shape,periods,.true.,grid,
     &                     error)
      call MPI_COMM_RANK(grid, rank, error)
      call MPI_CART_SHIFT(grid,0,1,up,down,error)
      call MPI_TYPE_VECTOR(n,1,n+2,MPI_DOUBLE_PRECISION,row,error)
      call MPI_TYPE_COMMIT(row,error)
      do j=0,n+1
        do i=0,n+1
          u(i,j)=rank
          v(i,j)=0
        end do
      end do
      do step=1,steps
        call MPI_IRECV(u(0,1),1,row,up,1,grid,requests(1),error)
        call MPI_IRECV(u(n+1,1),1,row,down,2,grid,requests(2),error)
        call MPI_ISEND(u(n,1),1,row,down,1,grid,requests(3),error)
        call MPI_ISEND(u(1,1),1,row,up,2,grid,requests(4),error)
        call MPI_WAITALL(4,requests,statuses,error)
        change=0
        do j=1,n
          do i=1,n
            v(i,j)=0.25*(u(i-1,j)+u(i+1,j)+u(i,j-1)+u(i,j+1))
            change=change+abs(v(i,j)-u(i,j))
          end do
        end do
        do j=1,n
          do i=1,n
            u(i,j)=v(i,j)
          end do
        end do
        call MPI_ALLREDUCE(change,sum,1,MPI_DOUBLE_PRECISION,MPI_SUM,
     &                     grid,error)
      end do
      if (rank.eq.0) print *, sum
      call MPI_TYPE_FREE(row,error)
      call MPI_COMM_FREE(grid,error)
      call MPI_FINALIZE(error)
      end
