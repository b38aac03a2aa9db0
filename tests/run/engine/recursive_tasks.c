// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: tasks that make tasks of the same function are ordered by their waits also where another analysis asks for
// paths of calls in which recursion is folded.
// ARGS: --races=yes --defects=no
// COMPILE: gcc -O0 -O2 -fopenmp
// EXPECT: nothing
// ALSO: --races=yes --defects=no --waste=yes
// ALSO: --races=yes --defects=no --cost=yes
#include "case.h"

NOINLINE static int fib(int n) {
    int a, b;
    if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n)
    a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    int result = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    result = fib(12);
    return result == 144 ? 0 : 1;
}
