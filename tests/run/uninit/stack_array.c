// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: in a half-filled array on the stack, the filled half is silent and a sum over all is reported where it is
// used; the same for memory by alloca.
// COMPILE: gcc clang -O0 -O2
#include <alloca.h>
#include "case.h"

NOINLINE static int sum(const int* a, int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) s += a[i];
    return s;
}

NOINLINE static void half(void) {  /* label: A */
    int a[16];
    for (int i = 0; i < 8; ++i) a[i] = i;
    ESCAPE(a);
    BRANCH_ON(sum(a, 8) == 28);
    BRANCH_ON(sum(a, 16) == 28);  /* expect: UninitCondition origin=A */
}

NOINLINE static void dynamic(int n) {  /* label: B */
    int* a = (int*)alloca((unsigned long)n * sizeof(int));
    for (int i = 0; i < n - 1; ++i) a[i] = 1;
    ESCAPE(a);
    BRANCH_ON(sum(a, n - 1) == 99);
    BRANCH_ON(sum(a, n) == 99);  /* expect: UninitCondition origin=B */
}

int main(void) {
    half();
    dynamic(HIDE(100));
    return 0;
}
