// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block whose only pointer is overwritten is definitely lost, at the line of its allocation.
// COMPILE: gcc clang -O0 -O1 -O2
#include <stdlib.h>
#include "case.h"

static char* volatile keep;

NOINLINE static void allocate(void) {
    keep = (char*)malloc(40);  /* leak: definite bytes=40 blocks=1 */
}

NOINLINE static void wash_stack(void) {
    volatile char area[4096];
    for (unsigned i = 0; i < sizeof area; i++) area[i] = 0;
}

int main(void) {
    allocate();
    keep = 0;
    wash_stack();
    return 0;
}
