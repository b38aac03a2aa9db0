// SPDX-License-Identifier: GPL-2.0-or-later
//
// An error, a leak, then a fault.
#include <stdlib.h>

__attribute__((noinline)) static void lose(void) { volatile char* p = malloc(33); p[0] = 1; }

int main(void) {
    volatile char* p = malloc(10);
    p[10] = 1;
    free((void*)p);
    lose();
    volatile char wash[4096];
    for (unsigned i = 0; i < sizeof wash; i++) wash[i] = 0;
    *(volatile int*)8 = 1;
    return 0;
}
