! SPDX-License-Identifier: GPL-2.0-or-later
! Each thread adds to an element of an array. Fortran has padding, but no alignment.
! EXPECT: FalseSharing sums 'Pad each element of (totals::)?sums .8 bytes. to 64: a first dimension of 8, of which' openmp
! TELLS: 'sums\(4\)'
#ifdef MENDED
#define SHAPE 8, 4
#define OWN 1, own
#else
#define SHAPE 4
#define OWN own
#endif
module totals
  implicit none
  real(8), volatile :: sums(SHAPE)
end module totals

program elements
  use omp_lib
  use totals
  implicit none
  integer :: i, own
  sums = 0
  !$omp parallel num_threads(4) private(i, own)
  own = omp_get_thread_num() + 1
  do i = 1, 20000
    sums(OWN) = sums(OWN) + i
  end do
  !$omp end parallel
  if (sum(sums) < 1) stop 1
end program elements
