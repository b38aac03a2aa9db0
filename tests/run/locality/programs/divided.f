c     SPDX-License-Identifier: GPL-2.0-or-later
c     COMMON blocks that program units divide in different ways. Of /work/ two units have head and rest, and one the
c     whole; /flat/ has one unit each way, so the one with the most members counts; /long/ is longer in one of them.
c     /own/ is each thread's.
      program divided
      double precision head(100), rest(300), x(50), y(50), short(10)
      common /work/ head, rest
      common /flat/ x, y
      common /long/ short
      integer i
      do i = 1, 100
         head(i) = i
      end do
      do i = 1, 10
         short(i) = i
      end do
      do i = 1, 50
         x(i) = i
      end do
      call whole
      call again
      call each
      end

      subroutine whole
      double precision all(400), xy(100)
      common /work/ all
      common /flat/ xy
      integer i
      do i = 1, 400
         all(i) = i
      end do
      do i = 41, 60
         xy(i) = xy(i) + 1
      end do
      end

      subroutine again
      double precision head(100), rest(300), part(4), behind(20)
      common /work/ head, rest
      common /long/ part, behind
      integer i
      do i = 1, 300
         rest(i) = rest(i) + head(1)
      end do
      do i = 1, 20
         behind(i) = part(1)
      end do
      end

      subroutine each
      double precision left(60), right(20)
      integer i, j
      common /own/ left, right
c$omp threadprivate(/own/)
c$omp parallel do num_threads(4) private(i)
      do j = 1, 4
         do i = 1, 20
            left(i) = j
            right(i) = left(i)
         end do
      end do
      end
