! SPDX-License-Identifier: GPL-2.0-or-later
! Two arrays of a module with an element for each thread.
! EXPECT: FalseSharing stats 'Pad each element of hits .*; pad each element of misses|Pad each element of misses .*; pad each element of hits' openmp
module stats
  implicit none
#ifdef MENDED
  integer(8) :: hits(8, 0:63), misses(8, 0:63)
#define H(t) hits(1, t)
#define M(t) misses(1, t)
#else
  integer(8) :: hits(0:63), misses(0:63)
#define H(t) hits(t)
#define M(t) misses(t)
#endif
contains
  subroutine note(t, ok)
    integer, intent(in) :: t
    logical, intent(in) :: ok
    if (ok) then
      H(t) = H(t) + 1
    else
      M(t) = M(t) + 1
    end if
  end subroutine
end module
program p
  use omp_lib
  use stats
  implicit none
  integer :: i, t
  hits = 0
  misses = 0
  call omp_set_num_threads(4)
  !$omp parallel private(i, t)
  t = omp_get_thread_num()
  do i = 1, 4000
    call note(t, mod(i * 7 + t, 3) /= 0)
  end do
  !$omp end parallel
  if (sum(hits) + sum(misses) == 0) stop 1
end program
