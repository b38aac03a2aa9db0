// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: with --undef-value-errors=no a request's mark in a frame is seen by code that ran before, and ends with the frame.
// ARGS: --undef-value-errors=no
// COMPILE: gcc clang -O0 -O2
#include <valgrind/memcheck.h>
#include "case.h"

NOINLINE static int sum(int marks) {
    volatile int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (marks) VALGRIND_MAKE_MEM_NOACCESS((void*)&values[2], sizeof values[2]);
    int result = values[3];
    result += values[2];  /* expect: InvalidRead */
    return result;
}

int main(void) {
    for (int i = 0; i < 10; ++i) NEED(sum(0));
    NEED(sum(1));
    NEED(sum(0));
    return 0;
}
