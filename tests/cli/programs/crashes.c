// SPDX-License-Identifier: GPL-2.0-or-later
//
// An error, a leak, then a fault.
#include <stdlib.h>

__attribute__((noinline)) static void lose(void) { volatile char* p = malloc(33); p[0] = 1; }

// Overwrites stale pointers below the stack pointer.
__attribute__((noinline)) static void wash(void) {
    volatile char area[4096];
    for (unsigned i = 0; i < sizeof area; i++) area[i] = 0;
}

int main(void) {
    volatile char* p = malloc(10);
    p[10] = 1;
    free((void*)p);
    lose();
    wash();
    *(volatile int*)8 = 1;
    return 0;
}
