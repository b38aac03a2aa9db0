! SPDX-License-Identifier: GPL-2.0-or-later
! A column of three elements for each thread.
! EXPECT: FalseSharing f 'Let each column of heap block f.*a first dimension of 16 instead of 3' openmp
program p
  use omp_lib
  implicit none
  integer, parameter :: n = 3000
#ifdef MENDED
#define ROWS 16
#else
#define ROWS 3
#endif
  real(8), allocatable :: f(:,:)
  integer :: i, t
  allocate(f(ROWS, 4))
  f = 0
  call omp_set_num_threads(4)
  !$omp parallel private(i, t)
  t = omp_get_thread_num() + 1
  do i = 1, n
    call add(f(:, t), i)
  end do
  !$omp end parallel
  if (f(1,1) <= 0) stop 1
contains
  subroutine add(v, i)
    real(8), intent(inout), volatile :: v(:)
    integer, intent(in) :: i
    v(1) = v(1) + i
    v(2) = v(2) + 1
    v(3) = v(3) + v(1)
  end subroutine
end program
