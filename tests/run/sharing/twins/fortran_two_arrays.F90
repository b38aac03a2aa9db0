! SPDX-License-Identifier: GPL-2.0-or-later
! Two arrays with an element for each thread, one of them used more. What the advice for one brings is not told by what
! both cost together.
! EXPECT: FalseSharing partial 'Pad each element of partial of' openmp
program two_arrays
  use omp_lib
  implicit none
  integer, parameter :: n = 160
#ifdef MENDED
  real(8) :: a(n*(n+1)/2), partial(8,0:15)
#define PARTIAL(i) partial(1,i)
#else
  real(8) :: a(n*(n+1)/2), partial(0:15)
#define PARTIAL(i) partial(i)
#endif
  integer :: i, j, k, me
  integer :: hits(0:15)
  partial = 0
  hits = 0
!$omp parallel private(i,j,k,me) num_threads(4)
  me = omp_get_thread_num()
!$omp do schedule(static,1)
  do i = 1, n
    k = i*(i-1)/2
    do j = 1, i
      a(k+j) = 1.0d0/(i+j)
    end do
  end do
!$omp end do
!$omp do schedule(static,1)
  do i = 1, n
    k = i*(i-1)/2
    do j = 1, i
      PARTIAL(me) = PARTIAL(me) + a(k+j)*a(k+j)
      if (a(k+j) > 0.01d0) hits(me) = hits(me) + 1
    end do
  end do
!$omp end do
!$omp end parallel
  print *, sum(partial), sum(hits)
end program
