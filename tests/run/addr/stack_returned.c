// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: reads and writes through a pointer into the frame of a function that has returned are reported.
// COMPILE: gcc clang -O0 -O2 -Wno-return-local-addr -Wno-return-stack-address
#include "case.h"

NOINLINE static int* dangling(void) {
    int a[400];
    for (int i = 0; i < 400; ++i) a[i] = i;
    return HIDE(a);
}

int main(void) {
    int* p = dangling();
    NEED(p[3]);  /* expect: InvalidRead text="below the stack pointer, in a frame" */
    p[4] = 2;  /* expect: InvalidWrite text="below the stack pointer, in a frame" */
    BARRIER();
    return 0;
}
