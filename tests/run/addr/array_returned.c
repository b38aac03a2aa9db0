// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the frame of a function with an array of variable length or alloca is gone when it returns.
// COMPILE: gcc clang -O0 -O2 -Wno-return-local-addr -Wno-return-stack-address
#include <alloca.h>

#include "case.h"

NOINLINE static int* array(int n) {
    int a[n];
    ESCAPE(a);
    for (int i = 0; i < n; ++i) a[i] = i;
    return HIDE(&a[0]);
}

NOINLINE static int* from_alloca(int n) {
    int* a = alloca((unsigned)n * sizeof *a);
    for (int i = 0; i < n; ++i) a[i] = i;
    return HIDE(a);
}

NOINLINE static long in_block(int n) {
    long sum = 0;
    for (int i = 1; i < n; ++i) {
        long inner[i * 10];
        ESCAPE(inner);
        inner[0] = i;
        sum += inner[0];
    }
    return sum;
}

int main(void) {
    NEED(array(HIDE(400))[3]);  /* expect: InvalidRead text="in a frame of array" */
    NEED(from_alloca(HIDE(400))[3]);  /* expect: InvalidRead text="in a frame of from_alloca" */
    BRANCH_ON(in_block(HIDE(50)) == 7);
    return 0;
}
