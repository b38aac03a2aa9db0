// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: --ignore-range-below-sp silences accesses at these distances below the stack pointer, both ends included, and
// no others.
// COMPILE: gcc clang -O0 -O2
// ARGS: --ignore-range-below-sp=1000-500
#include "case.h"

// Reads below its frame, in that of `used`.
NOINLINE static void used(void) {
    volatile char numbers[4000];
    for (unsigned i = 0; i < sizeof numbers; ++i) numbers[i] = 1;
}

int main(void) {
    used();
    volatile char* at;
#if defined(__x86_64__)
    __asm__ volatile("mov %%rsp, %0" : "=r"(at));
#else
    __asm__ volatile("mov %0, sp" : "=r"(at));
#endif
    NEED(at[-1001]);  /* expect: InvalidRead text="below the stack pointer" */
    NEED(at[-1000]);
    NEED(at[-500]);
    NEED(at[-499]);  /* expect: InvalidRead text="below the stack pointer" */
    used();
    return 0;
}
