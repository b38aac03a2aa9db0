! SPDX-License-Identifier: GPL-2.0-or-later
! Each thread has an object of a derived type, of an array that main allocates.
! EXPECT: FalseSharing 'heap block all of types' 'Pad each element of ([a-z]+ )?.?24 bytes.? to 128' openmp
module accounts
  implicit none
  type account
    integer(8) :: deposits, withdrawals
    integer(8) :: last
#ifdef MENDED
    character :: padding(104)
#endif
  end type account
end module accounts

program types
  use omp_lib
  use accounts
  implicit none
  type(account), allocatable, volatile :: all(:)
  integer :: i, own
  allocate (all(4))
  all%deposits = 0
  all%withdrawals = 0
  !$omp parallel num_threads(4) private(i, own)
  own = omp_get_thread_num() + 1
  do i = 1, 20000
    all(own)%deposits = all(own)%deposits + 1
    all(own)%withdrawals = all(own)%withdrawals + 1
    all(own)%last = i
  end do
  !$omp end parallel
  if (all(3)%deposits /= 20000) stop 1
end program types
