! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! Corners of Fortran programs: common blocks, saved locals, types with allocatable parts, workshare, pointers, text.
module parts
  implicit none
  integer, parameter :: n = 200
  type part
     integer :: count = 0
     double precision, allocatable :: values(:)
  end type
  type(part), target :: all_parts(8)
  type(part), save :: shared_part
  integer :: state, made
!$omp threadprivate(state)
contains
  subroutine work(i, to)
    integer, intent(in) :: i
    double precision, intent(out) :: to
#if CASE == 1
    integer :: calls = 0
    calls = calls + 1 ! race: calls
#else
    integer :: calls
    calls = i
#endif
    to = calls + i ! race(19): total
  end subroutine
  recursive subroutine halve(a, first, last)
    integer, intent(in) :: first, last
    integer, intent(inout) :: a(:)
    integer :: middle
    if (last - first < 16) then
       a(first:last) = a(first:last) + 1 ! race(11): a
       return
    end if
    middle = (first + last) / 2
#if CASE == 11
!$omp task shared(a)
    call halve(a, first, middle)
!$omp end task
    call halve(a, middle, last)
#else
!$omp task shared(a)
    call halve(a, first, middle)
!$omp end task
    call halve(a, middle + 1, last)
#endif
!$omp taskwait
  end subroutine
end module
program corners ! race(3): common_sum
  use parts
  use omp_lib
  implicit none
  integer :: i, j, k, numbers(n), found
  double precision :: results(n), total, extra
  double precision, pointer :: by(:), other(:)
  character(len=16) :: text
  integer :: common_sum
  common /sums/ common_sum
  results = 0
  numbers = [(mod(i * 3, n) + 1, i = 1, n)]
  total = 0
  extra = 0
  found = 0
  k = 0
  common_sum = 0
  text = ' '
  do i = 1, 8
     allocate (all_parts(i)%values(n))
     all_parts(i)%values = i
  end do
#if CASE == 1 || CASE == 2
  ! 1: a local with a value is saved
!$omp parallel do num_threads(4) ! race(1): calls
  do i = 1, n
     call work(i, results(i)) ! race(1): calls
  end do
#elif CASE == 3
  ! a common block
!$omp parallel do num_threads(4) ! race: common_sum
  do i = 1, n
     common_sum = common_sum + i ! race: common_sum
  end do
#elif CASE == 4
  ! with a reduction
!$omp parallel do num_threads(4) reduction(+ : common_sum)
  do i = 1, n
     common_sum = common_sum + i
  end do
#elif CASE == 5
  ! each its part
!$omp parallel do num_threads(4) private(j)
  do i = 1, 8
     do j = 1, n
        all_parts(i)%values(j) = all_parts(i)%values(j) * 2
        all_parts(i)%count = all_parts(i)%count + 1
     end do
  end do
#elif CASE == 6
  ! two pointers to one part
  by => all_parts(3)%values(1:n - 1)
  other => all_parts(3)%values(2:n)
!$omp parallel do num_threads(4)
  do i = 1, n - 1
     by(i) = other(i) + 1 ! race: values
  end do
#elif CASE == 7
  ! statements in threads, each after the one before
!$omp parallel num_threads(4)
!$omp workshare
  results = 2
  total = sum(results)
!$omp end workshare
!$omp end parallel
#elif CASE == 8
  ! the end is not waited for
!$omp parallel num_threads(4) private(k)
!$omp workshare ! race: numbers
  numbers = numbers + 1 ! race: numbers
!$omp end workshare nowait
  k = omp_get_thread_num()
  results(k + 1) = numbers(n - k * 40) ! race: numbers
!$omp end parallel
#elif CASE == 9
  ! the first one that is found
!$omp parallel do num_threads(4)
  do i = 1, n
     if (mod(numbers(i), 3) == 0) found = i ! race: found
  end do
#elif CASE == 10 || CASE == 11
  ! halves; 11: that share an element
!$omp parallel num_threads(4)
!$omp single
  call halve(numbers, 1, n)
!$omp end single
!$omp end parallel
#elif CASE == 12
  ! text of all threads
!$omp parallel num_threads(4)
  write (text, '(i4)') omp_get_thread_num() ! race: text maybe
!$omp end parallel
#elif CASE == 13
  ! text of each
!$omp parallel num_threads(4) private(text, i)
  write (text, '(i4)') omp_get_thread_num()
  read (text, '(i4)') i
  results(i + 1) = i
!$omp end parallel
#elif CASE == 14
  ! the greatest by an atomic
!$omp parallel do num_threads(4)
  do i = 1, n
!$omp atomic update
     found = max(found, numbers(i))
  end do
#elif CASE == 15
  ! and its place beside it
!$omp parallel do num_threads(4)
  do i = 1, n
     if (2 * i > found) then ! race: found
        found = 2 * i ! race: found
        k = i ! race: k
     end if
  end do
#elif CASE == 16
  ! each thread its state, copied in
  state = 4
!$omp parallel num_threads(4) copyin(state)
  state = state + omp_get_thread_num()
!$omp critical (one)
  made = made + state
!$omp end critical (one)
!$omp end parallel
#elif CASE == 17
  ! two names of critical
!$omp parallel num_threads(4)
  if (mod(omp_get_thread_num(), 2) == 0) then
!$omp critical (one)
     made = made + 1 ! race: made
!$omp end critical (one)
  else
!$omp critical (two)
     made = made + 1 ! race: made
!$omp end critical (two)
  end if
!$omp end parallel
#elif CASE == 18
  ! a block inside, whose variable is each thread's
!$omp parallel do num_threads(4)
  do i = 1, n
     block
       double precision :: t
       t = i
       results(i) = t * t
     end block
  end do
#elif CASE == 19
  ! a variable outside of it
!$omp parallel do num_threads(4)
  do i = 1, n
     extra = i ! race: extra
     call work(i, total) ! race: total
     results(i) = extra ! race: extra
  end do
#endif
  print *, results(1), total, extra, found, common_sum, made, trim(text), k, all_parts(3)%values(4), numbers(5)
end program
