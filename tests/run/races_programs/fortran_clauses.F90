! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! Fortran's own forms one by one, each in a whole program: correct, and with the race (RACY).
! Levels are chosen by number: each has races, and each correct programs.
#define RACY (CASE % 8 == 2 || CASE % 8 == 3 || CASE % 8 == 5 || CASE % 8 == 0)
#if CASE == 1 || CASE == 2
! two names for one storage
program twins
  implicit none
  integer, parameter :: n = 120
  integer :: whole(2 * n), part(n), i
#if RACY
  equivalence (whole(n / 2), part(1))
#else
  equivalence (whole(n + 1), part(1))
#endif
  whole = 1
!$omp parallel do num_threads(4)
  do i = 1, n
    whole(i) = part(i) + 1 ! race(2): storage
  end do
  print *, whole(1)
end program
#elif CASE == 3 || CASE == 4
! a type that is extended, whose method adds to itself, and locks or not
module meters
  use omp_lib
  implicit none
  type meter
    integer(omp_lock_kind) :: lock
    integer :: total = 0
  contains
    procedure :: add
  end type
contains
  subroutine add(self, by)
    class(meter), intent(inout) :: self
    integer, intent(in) :: by
#if !RACY
    call omp_set_lock(self%lock)
#endif
    self%total = self%total + by ! race(3): total
#if !RACY
    call omp_unset_lock(self%lock)
#endif
  end subroutine
end module
program measure
  use meters
  implicit none
  type(meter) :: m
  integer :: i
  call omp_init_lock(m%lock)
!$omp parallel do num_threads(4)
  do i = 1, 50
    call m%add(i)
  end do
  print *, m%total
end program
#elif CASE == 5 || CASE == 6
! concurrent loops inside a team: each its own column, or all the same
program columns
  implicit none
  integer, parameter :: n = 16
  real :: m(n, n)
  integer :: i, j
  m = 0
!$omp parallel do private(i) num_threads(4)
  do j = 1, n
    do concurrent (i = 1:n)
#if RACY
      m(i, 1) = m(i, 1) + real(j) ! race(5): m
#else
      m(i, j) = m(i, j) + real(j)
#endif
    end do
  end do
  print *, m(2, 1)
end program
#elif CASE == 7 || CASE == 8
! a module's state behind procedures, with a critical section in one of them
module counter
  implicit none
  integer, private :: value = 0
contains
  subroutine bump(by)
    integer, intent(in) :: by
!$omp critical (counting)
    value = value + by ! race(8): value
!$omp end critical (counting)
  end subroutine
  integer function now()
#if RACY
    now = value ! race(8): value
#else
!$omp critical (counting)
    now = value
!$omp end critical (counting)
#endif
  end function
end module
program count_up
  use counter
  implicit none
  integer :: i, seen(40)
!$omp parallel do num_threads(4)
  do i = 1, 40
    call bump(i)
    seen(i) = now()
  end do
  print *, now()
end program
#elif CASE == 9 || CASE == 10
! arrays of a derived type, each component of one thread, or a sum in one
module particles
  implicit none
  type particle
    real(8) :: at(3) = 0, speed(3) = 1
    integer :: bumps = 0
  end type
contains
  subroutine push(p, dt)
    type(particle), intent(inout) :: p
    real(8), intent(in) :: dt
    p%at = p%at + dt * p%speed ! race(10): bumps
    p%bumps = p%bumps + 1 ! race(10): bumps
  end subroutine
end module
program push_all
  use particles
  implicit none
  type(particle), allocatable :: cloud(:)
  integer :: i
  allocate (cloud(60))
!$omp parallel do num_threads(4)
  do i = 1, 60
#if RACY
    call push(cloud(mod(i, 15) + 1), 0.1d0)
#else
    call push(cloud(i), 0.1d0)
#endif
  end do
  print *, cloud(3)%at(1), cloud(3)%bumps
end program
#elif CASE == 11 || CASE == 12
! workshares: one after the other, or not waited for
program shares
  implicit none
  integer, parameter :: n = 200
  real(8) :: a(n), b(n), total
  a = 2
  total = 0
!$omp parallel num_threads(4)
!$omp workshare ! race(11): b
  b = a * 2 ! race(11): b
#if RACY
!$omp end workshare nowait
#else
!$omp end workshare
#endif
!$omp single
  total = b(3) + b(n) + b(n / 2) ! race(11): b
!$omp end single
!$omp end parallel
  print *, total
end program
#elif CASE == 13 || CASE == 14
! a pointer to a section that others write
program sections
  implicit none
  integer, parameter :: n = 100
  integer, target :: v(n)
  integer, pointer :: even(:), odd(:)
  integer :: i
  v = 3
  even => v(2::2)
#if RACY
  odd => v(2:n)
#else
  odd => v(1::2)
#endif
!$omp parallel num_threads(2)
!$omp sections private(i)
!$omp section
  do i = 1, size(even)
    even(i) = even(i) + 1 ! race(13): v
  end do
!$omp section
  do i = 1, size(odd)
    odd(i) = odd(i) * 2 ! race(13): v
  end do
!$omp end sections
!$omp end parallel
  print *, v(4)
end program
#elif CASE == 15 || CASE == 16
! an allocatable that is private, or shared and allocated in the region
program scratch
  implicit none
  integer, allocatable :: tmp(:)
  integer :: i, res(24)
  allocate (tmp(10))
#if RACY
!$omp parallel do num_threads(4)
#else
!$omp parallel do firstprivate(tmp) num_threads(4)
#endif
  do i = 1, 24
    tmp(:) = i ! race(16): tmp
    res(i) = sum(tmp) ! race(16): tmp
  end do
  print *, res(5)
end program
#elif CASE == 17 || CASE == 18
! tasks with dependences on array elements
program chain
  implicit none
  integer, parameter :: n = 12
  integer :: v(0:n), i
  v = 1
!$omp parallel num_threads(4)
!$omp single
  do i = 1, n
#if RACY
!$omp task firstprivate(i) shared(v) depend(out: v(i))
#else
!$omp task firstprivate(i) shared(v) depend(in: v(i - 1)) depend(out: v(i))
#endif
    v(i) = v(i - 1) + i ! race(18): v
!$omp end task
  end do
!$omp end single
!$omp end parallel
  print *, v(n)
end program
#elif CASE == 19 || CASE == 20
! the greatest, by a reduction or by a comparison
program greatest
  implicit none
  integer, parameter :: n = 300
  real(8) :: v(n), most
  integer :: i
  do i = 1, n
    v(i) = sin(real(i, 8))
  end do
  most = -10
#if RACY
!$omp parallel do num_threads(4)
#else
!$omp parallel do reduction(max:most) num_threads(4)
#endif
  do i = 1, n
    most = max(most, v(i)) ! race(19): most
  end do
  print *, most
end program
#elif CASE == 21 || CASE == 22
! a recurrence along the first index or along the second
program sweep
  implicit none
  integer, parameter :: n = 30
  real(8) :: u(n, n)
  integer :: i, j
  u = 1
!$omp parallel do private(i, j) num_threads(4)
#if RACY
  do i = 2, n
    do j = 1, n
      u(i, j) = 0.5d0 * u(i, j) + 0.5d0 * u(i - 1, j) ! race(21): u
    end do
  end do
#else
  do j = 1, n
    do i = 2, n
      u(i, j) = 0.5d0 * u(i, j) + 0.5d0 * u(i - 1, j)
    end do
  end do
#endif
  print *, u(n, n)
end program
#elif CASE == 23 || CASE == 24
! a gather by a list without repetition, or a scatter by one with
program scatter
  implicit none
  integer, parameter :: n = 96
  integer :: list(n), i
  real :: x(n), y(n)
  do i = 1, n
    list(i) = n + 1 - i
    x(i) = i
  end do
#if RACY
  list(n) = list(1)
#endif
  y = 0
!$omp parallel do num_threads(4) schedule(static)
  do i = 1, n
    y(list(i)) = y(list(i)) + x(i) ! race(24): y
  end do
  print *, y(1)
end program
#elif CASE == 25 || CASE == 26
! a routine's work array by a saved one, or by an automatic one
module smooth
  implicit none
contains
  subroutine filter(v, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
#if RACY
    real(8), save :: w(40)
#else
    real(8) :: w(n)
#endif
    integer :: i
    do i = 2, n - 1
      w(i) = (v(i - 1) + v(i) + v(i + 1)) / 3 ! race(26): w
    end do
    do i = 2, n - 1
      v(i) = w(i) ! race(26): w
    end do
  end subroutine
end module
program rows
  use smooth
  implicit none
  real(8) :: m(40, 12)
  integer :: j
  m = 1
  m(7, :) = 4
!$omp parallel do num_threads(4)
  do j = 1, 12
    call filter(m(:, j), 40)
  end do
  print *, m(7, 3)
end program
#endif
