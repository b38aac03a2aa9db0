c     SPDX-License-Identifier: GPL-2.0-or-later
c     Variables that EQUIVALENCE puts at the same place: two that are the same bytes, two halves of a larger one, the end of another.
      program equivalence
      implicit none
      double precision table(4, 100), line(400), first(100)
      double precision second(100), whole(200), other(200), total
      integer i, marks(64), tail(8)
      equivalence (line(1), table(1, 1))
      equivalence (first(1), whole(1)), (second(1), whole(101))
      equivalence (tail(1), marks(57))
      do i = 1, 400
         line(i) = i
      end do
      do i = 1, 100
         first(i) = i
         second(i) = 2 * i
         other(i) = i
         other(i + 100) = i
      end do
      do i = 1, 64
         marks(i) = i
      end do
      total = 0
      do i = 1, 100
         total = total + table(2, i) + whole(2 * i) + other(2 * i)
         total = total + tail(mod(i, 8) + 1)
      end do
      print *, total
      end
