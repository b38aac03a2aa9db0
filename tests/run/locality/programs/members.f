c     SPDX-License-Identifier: GPL-2.0-or-later
c     Members of COMMON blocks, of which one program unit declares others than the rest, a block without a name, one unit's own
c     parts of a work area, and scalars that OpenMP's threads share.
      program members
      implicit none
      integer n, parts
      parameter (n = 256)
      double precision a(n), p(n), q(n), w(2 * n)
      integer colidx(n), first, last, step
      common /values/ a, p, q
      common /indices/ colidx
      common /bounds/ first, last
      common /work/ w
      common step
      double precision rho
      integer i
      first = 1
      last = n
      step = 1
      do i = 1, n
         a(i) = i
         p(i) = 1.0d0 / i
         colidx(i) = mod(i * 7, n) + 1
      end do
      do i = 1, 2 * n
         w(i) = i
      end do
      rho = 0
      call multiply(rho)
      call halves
      print *, rho
      end
      subroutine multiply(rho)
      implicit none
      integer n
      parameter (n = 256)
      double precision a(n), p(n), q(n), rho
      integer colidx(n), first, last, step, j
      common /values/ a, p, q
      common /indices/ colidx
      common /bounds/ first, last
      common step
!$omp parallel do reduction(+:rho) num_threads(4)
      do j = first, last, step
         q(j) = a(j) * p(colidx(j))
         rho = rho + q(j)
      end do
      end
      subroutine halves
      implicit none
      integer n, i
      parameter (n = 256)
      double precision w(2 * n)
      common /work/ w
      do i = 1, n
         w(i) = w(i + n)
      end do
      end
