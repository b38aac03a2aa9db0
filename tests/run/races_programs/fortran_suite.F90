! SPDX-License-Identifier: GPL-2.0-or-later
! FLAGS: -fopenmp
! The public suites' kinds in Fortran: modules, contained procedures, common blocks, allocatable arrays.
module shared_state
  implicit none
  integer, parameter :: n = 400
  integer :: counter = 0, total = 0, kept = 0
  integer, allocatable :: work(:)
  real(8) :: grid(40, 40)
!$omp threadprivate(kept)
contains
  subroutine add(to, by)
    integer, intent(inout) :: to
    integer, intent(in) :: by
    to = to + by ! race(2): to
  end subroutine
  recursive integer function fib(k) result(r)
    integer, intent(in) :: k
    integer :: i, j
    if (k < 2) then
      r = k
    else
!$omp task shared(i)
      i = fib(k - 1) ! race(4): i
!$omp end task
!$omp task shared(j)
      j = fib(k - 2) ! race(4): j
!$omp end task
#if CASE == 3
!$omp taskwait
#endif
      r = i + j ! race(4): i j
#if CASE == 4
!$omp taskwait
#endif
    end if
  end function
  subroutine saved_count()
    integer, save :: calls = 0
    calls = calls + 1 ! race(6): calls
  end subroutine
end module

program suite
  use omp_lib
  use shared_state
  implicit none
  integer :: i, j, k, x, tmp, at, left
  integer :: a(n), b(n)
  real(8) :: s
  real(8), allocatable :: u(:, :), f(:, :)
  integer(omp_lock_kind) :: lock
  common /block/ x
  allocate (work(n), u(40, 40), f(40, 40))
  call omp_init_lock(lock)
  x = 0; tmp = 0; at = 1; left = 0; s = 0
  do i = 1, n
    a(i) = i
    b(i) = n - i
    work(i) = mod(i * 7, n)
  end do
  u = 1; f = 2; grid = 0
#if CASE == 1
!$omp parallel do
  do i = 1, n
    call add(a(i), b(i))
  end do
!$omp end parallel do
#elif CASE == 2
!$omp parallel do
  do i = 1, n
    call add(total, b(i))
  end do
!$omp end parallel do
#elif CASE == 3 || CASE == 4
!$omp parallel
!$omp single
  x = fib(8)
!$omp end single
!$omp end parallel
#elif CASE == 5
!$omp parallel
!$omp critical
  call saved_count()
!$omp end critical
!$omp end parallel
#elif CASE == 6
!$omp parallel
  call saved_count()
!$omp end parallel
#elif CASE == 7
!$omp parallel do
  do i = 1, n - 1
    a(i) = a(i + 1) + b(i) ! race: a
  end do
!$omp end parallel do
#elif CASE == 8
!$omp parallel do
  do i = 1, n - 1
    a(i) = b(i + 1) + b(i)
  end do
!$omp end parallel do
#elif CASE == 9
!$omp parallel do private(i)
  do j = 1, 40
    do i = 2, 40
      u(i, j) = u(i - 1, j) + f(i, j)
    end do
  end do
!$omp end parallel do
#elif CASE == 10
!$omp parallel do private(i)
  do j = 2, 40
    do i = 1, 40
      u(i, j) = u(i, j - 1) + f(i, j) ! race: u
    end do
  end do
!$omp end parallel do
#elif CASE == 11
!$omp parallel do
  do i = 1, n
    tmp = a(i) + i ! race: tmp
    b(i) = tmp ! race: tmp
  end do
!$omp end parallel do
#elif CASE == 12
!$omp parallel do private(tmp)
  do i = 1, n
    tmp = a(i) + i
    b(i) = tmp
  end do
!$omp end parallel do
#elif CASE == 13
!$omp parallel do
  do i = 1, n
    s = s + a(i) * 0.5 ! race: s
  end do
!$omp end parallel do
#elif CASE == 14
!$omp parallel do reduction(+:s)
  do i = 1, n
    s = s + a(i) * 0.5
  end do
!$omp end parallel do
#elif CASE == 15
!$omp parallel do
  do i = 1, n
    if (a(i) > 100) then
      work(at) = i ! race: at
      at = at + 1 ! race: at
    end if
  end do
!$omp end parallel do
#elif CASE == 16
!$omp parallel
!$omp do
  do i = 1, n
    a(i) = i * 2 ! race: a
  end do
!$omp end do nowait
!$omp single
  left = a(n) + a(1) ! race: a
!$omp end single
!$omp end parallel
#elif CASE == 17
!$omp parallel
!$omp do
  do i = 1, n
    a(i) = i * 2
  end do
!$omp end do
!$omp single
  left = a(n) + a(1)
!$omp end single
!$omp end parallel
#elif CASE == 18
!$omp parallel do
  do i = 1, n
    kept = kept + a(i)
  end do
!$omp end parallel do
#elif CASE == 19
!$omp parallel num_threads(3)
!$omp master
  x = 4 ! race: x
!$omp end master
  b(omp_get_thread_num() + 1) = x ! race: x
!$omp end parallel
#elif CASE == 20
!$omp parallel sections num_threads(2)
!$omp section
  call omp_set_lock(lock)
  total = total + 1
  call omp_unset_lock(lock)
!$omp section
  call omp_set_lock(lock)
  total = total + 2
  call omp_unset_lock(lock)
!$omp end parallel sections
#elif CASE == 21
!$omp parallel sections num_threads(2)
!$omp section
  call omp_set_lock(lock)
  total = total + 1 ! race: total
  call omp_unset_lock(lock)
!$omp section
  total = total + 2 ! race: total
!$omp end parallel sections
#elif CASE == 22
!$omp parallel
!$omp single
!$omp task depend(out: x)
  x = 3
!$omp end task
!$omp task depend(in: x)
  tmp = x
!$omp end task
!$omp taskwait
  left = tmp
!$omp end single
!$omp end parallel
#elif CASE == 23
!$omp parallel
!$omp single
!$omp task
  x = 3 ! race: x
!$omp end task
!$omp task
  tmp = x ! race: x
!$omp end task
!$omp end single
!$omp end parallel
#elif CASE == 24
!$omp parallel do ordered
  do i = 1, n
!$omp ordered
    counter = counter + a(i)
!$omp end ordered
  end do
!$omp end parallel do
#elif CASE == 25
!$omp parallel do
  do i = 1, n
!$omp atomic
    counter = counter + a(i)
  end do
!$omp end parallel do
#elif CASE == 26
!$omp parallel do
  do i = 1, n
    if (mod(i, 2) == 0) then
!$omp atomic
      counter = counter + a(i) ! race: counter
    else
      counter = counter + 1 ! race: counter
    end if
  end do
!$omp end parallel do
#elif CASE == 27
!$omp parallel do collapse(2) private(k, s)
  do j = 1, 40
    do i = 1, 40
      s = 0
      do k = 1, 40
        s = s + u(i, k) * f(k, j)
      end do
      grid(i, j) = s
    end do
  end do
!$omp end parallel do
#elif CASE == 28
!$omp parallel do private(k)
  do j = 1, 40
    do i = 1, 40
      s = 0 ! race: s
      do k = 1, 40
        s = s + u(i, k) * f(k, j) ! race: s
      end do
      grid(i, j) = s ! race: s
    end do
  end do
!$omp end parallel do
#elif CASE == 29
!$omp parallel workshare
  u = f * 2
  f = u + 1
!$omp end parallel workshare
#elif CASE == 30
!$omp target teams distribute parallel do map(tofrom: total)
  do i = 1, n
    total = total + 1 ! race: total
  end do
!$omp end target teams distribute parallel do
#elif CASE == 31
!$omp parallel do lastprivate(tmp)
  do i = 1, n
    tmp = a(i)
  end do
!$omp end parallel do
#elif CASE == 32
!$omp parallel do
  do i = 1, n
    work(mod(i, 10) + 1) = i ! race: work
  end do
!$omp end parallel do
#elif CASE == 33
!$omp parallel
!$omp single
!$omp taskloop
  do i = 1, n
    total = total + a(i) ! race: total
  end do
!$omp end taskloop
!$omp end single
!$omp end parallel
#elif CASE == 34
!$omp parallel
!$omp single
!$omp taskgroup
  do i = 1, 10
!$omp task firstprivate(i)
    work(i) = i
!$omp end task
  end do
!$omp end taskgroup
  left = sum(work(1:10))
!$omp end single
!$omp end parallel
#endif
  print *, counter, total, x, tmp, left, s, a(5), b(7), work(3), u(3, 4), grid(3, 4)
end program
