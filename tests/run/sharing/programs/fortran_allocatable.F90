! SPDX-License-Identifier: GPL-2.0-or-later
! Each thread adds to an element of an allocatable array of a module.
! EXPECT: FalseSharing 'heap block totals::sums of allocatables' 'Pad each element of totals::sums .8 bytes. to 64: a first dimension of 8' openmp
#ifdef MENDED
#define LEAST 8
#else
#define LEAST 1
#endif
module totals
  implicit none
  real(8), allocatable, volatile :: sums(:,:)
end module totals

program allocatables
  use omp_lib
  use totals
  implicit none
  integer :: i, own
  allocate(sums(LEAST, 4))
  sums = 0
  !$omp parallel num_threads(4) private(i, own)
  own = omp_get_thread_num() + 1
  do i = 1, 20000
    sums(1, own) = sums(1, own) + i
  end do
  !$omp end parallel
  if (sum(sums) < 1) stop 1
end program allocatables
