// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: marks that requests set on the stack end with the frame: a later frame in the same place is like any other.
// COMPILE: gcc clang -O0 -O2
#include <valgrind/memcheck.h>
#include "case.h"

NOINLINE static void guarded(void) {
    char area[256];
    VALGRIND_MAKE_MEM_NOACCESS(area, sizeof area);
    ESCAPE(area);
    NEED(*HIDE(area + 40));  /* expect: InvalidRead */
}

NOINLINE static int pooled(void) {
    char arena[512];
    char* block = HIDE(arena + 64);
    VALGRIND_MALLOCLIKE_BLOCK(block, 100, 16, 1);
    block[0] = 1;
    const int result = block[0];
    VALGRIND_FREELIKE_BLOCK(block, 16);
    return result;
}

NOINLINE static int innocent(int n) {
    volatile int a[256];
    for (int i = 0; i < 256; ++i) a[i] = n;
    return a[5];
}

int main(void) {
    guarded();
    BRANCH_ON(innocent(1) == 1);
    const int result = pooled();
    BRANCH_ON(innocent(result) == 1);
    return 0;
}
