! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! The same mistakes in other forms of Fortran: EQUIVALENCE, allocatable module arrays, associate, dummy arguments, sections of planes.
module store
  implicit none
  integer, parameter :: n = 120
  double precision, allocatable :: plane(:, :), line(:)
  integer :: tally
  type chain
     integer :: value = 0
     type(chain), pointer :: next => null()
  end type
contains
  subroutine assumed(x, k)
    double precision :: x(*)
    integer, intent(in) :: k
    x(k) = x(k) + 1 ! race(3): line
    x(k + 1) = x(k + 1) - 1 ! race(3): line
  end subroutine
  subroutine explicit_size(x, m)
    integer, intent(in) :: m
    double precision :: x(m)
    integer :: k
!$omp parallel do num_threads(5)
    do k = 1, m - 1
       x(k) = x(k + 1) * 0.5d0 ! race(4): line
    end do
  end subroutine
  subroutine counts()
    integer :: own
    own = tally ! race(6): tally
    tally = own + 1 ! race(6): tally
  end subroutine
end module
program forms
  use store
  use omp_lib
  implicit none
  integer :: i, j, k, low(n), high(n), bins(16)
  double precision :: t, a(n, n)
  type(chain), pointer :: head, at
  integer :: old_place
  double precision :: boxed(n)
  common /boxed_values/ boxed, old_place
  equivalence (low(1), high(1))
  allocate (plane(n, n), line(n + 1))
  plane = 1
  line = 1
  a = 2
  boxed = 3
  bins = 0
  tally = 0
  k = 0
  t = 0
  do i = 1, n
     low(i) = i
  end do
#if CASE == 1
  ! one array by two names
!$omp parallel do num_threads(3)
  do i = 1, n - 1
     low(i) = high(i + 1) + 1 ! race: low
  end do
#elif CASE == 2
  ! columns of an allocatable plane, each of one thread
!$omp parallel do num_threads(3) private(j)
  do i = 1, n
     do j = 2, n
        plane(j, i) = plane(j - 1, i) + 1
     end do
  end do
#elif CASE == 3
  ! an argument of assumed size
!$omp parallel do num_threads(2)
  do i = 1, n
     call assumed(line, i) ! race: line
  end do
#elif CASE == 4
  ! of explicit size
  call explicit_size(line, n)
#elif CASE == 5
  ! rows: the element before belongs to another thread
!$omp parallel do num_threads(12) private(i)
  do j = 2, n
     do i = 1, n
        plane(i, j) = plane(i, j - 1) + 1 ! race: plane
     end do
  end do
#elif CASE == 6
  ! a subroutine's own copy of a module's variable
!$omp parallel do num_threads(4)
  do i = 1, n
     call counts()
  end do
#elif CASE == 7
  ! one at a time
!$omp parallel do num_threads(4)
  do i = 1, n
!$omp critical
     call counts()
!$omp end critical
  end do
#elif CASE == 8
  ! a name for a column
  associate (column => plane(:, 3))
!$omp parallel do num_threads(4)
    do i = 2, n
       column(i) = column(i - 1) + 1 ! race: column
    end do
  end associate
#elif CASE == 9
  ! a chain that tasks walk on
  allocate (head)
  at => head
  do i = 1, 20
     allocate (at%next)
     at => at%next
     at%value = i
  end do
!$omp parallel num_threads(4) private(at)
!$omp single
  at => head
  do while (associated(at))
!$omp task firstprivate(at)
     at%value = at%value + 1
!$omp end task
     at => at%next
  end do
!$omp end single
!$omp end parallel
#elif CASE == 10
  ! each changes what is behind it
  allocate (head)
  at => head
  do i = 1, 20
     allocate (at%next)
     at => at%next
     at%value = i
  end do
!$omp parallel num_threads(4) private(at)
!$omp single
  at => head
  do while (associated(at%next))
!$omp task firstprivate(at)
     at%value = at%value + at%next%value ! race: value
!$omp end task
     at => at%next
  end do
!$omp end single
!$omp end parallel
#elif CASE == 11
  ! whole columns by statements on sections
!$omp parallel do num_threads(4)
  do j = 1, n - 1
     a(:, j) = a(:, j + 1) * 2 ! race: a
  end do
#elif CASE == 12
  ! of two arrays
!$omp parallel do num_threads(4)
  do j = 1, n - 1
     a(:, j) = plane(:, j + 1) * 2
  end do
#elif CASE == 13
  ! bins, with the sum of all in a scalar that is not summed up
!$omp parallel do num_threads(7) reduction(+ : bins)
  do i = 1, n
     bins(1 + mod(i, 16)) = bins(1 + mod(i, 16)) + 1
     k = max(k, bins(1 + mod(i, 16))) ! race: k
  end do
#elif CASE == 14
  ! the last iteration's value by an array of the common block
!$omp parallel do num_threads(4) ! race: old_place
  do i = 1, n
     boxed(i) = i ! race: old_place
     old_place = i ! race: old_place
  end do ! race: old_place
#elif CASE == 15
  ! which is last private
!$omp parallel do num_threads(4) lastprivate(old_place)
  do i = 1, n
     boxed(i) = i
     old_place = i
  end do
#elif CASE == 16
  ! a variable of the outer loop in the inner one's team
  do j = 1, 4
     t = 0
!$omp parallel do num_threads(4) ! race: t
     do i = 1, n
        t = t + plane(i, j) ! race: t
     end do
     line(j) = t
  end do
#elif CASE == 17
  ! dependences of a stencil by tasks, whose neighbour is not named
!$omp parallel num_threads(4)
!$omp single
  do i = 2, n - 1
!$omp task firstprivate(i) depend(inout : line(i))
     line(i) = line(i - 1) + line(i + 1) ! race: line
!$omp end task
  end do
!$omp end single
!$omp end parallel
#elif CASE == 18
  ! and is
!$omp parallel num_threads(4)
!$omp single
  do i = 2, n - 1
!$omp task firstprivate(i) depend(in : line(i - 1), line(i + 1)) depend(inout : line(i))
     line(i) = line(i - 1) + line(i + 1)
!$omp end task
  end do
!$omp end single
!$omp end parallel
#endif
  print *, low(3), line(4), plane(3, 3), tally, k, old_place, sum(bins), a(2, 2), t
end program
