! SPDX-License-Identifier: GPL-2.0-or-later
! Two threads count in one variable each, of one common block.
! EXPECT: FalseSharing counters 'on lines of their own .64 bytes of padding before and behind, in a derived type or a common block' openmp
program common_block
  use omp_lib
  implicit none
  integer(8), volatile :: hits, misses
#ifdef MENDED
  character :: first(64), second(64), third(64)
  common /counters/ first, hits, second, misses, third
#else
  common /counters/ hits, misses
#endif
  integer :: i
  hits = 0
  misses = 0
  !$omp parallel num_threads(2) private(i)
  do i = 1, 20000
    if (omp_get_thread_num() == 0) then
      hits = hits + 1
    else
      misses = misses + 1
    end if
  end do
  !$omp end parallel
  if (hits /= 20000 .or. misses /= 20000) stop 1
end program common_block
