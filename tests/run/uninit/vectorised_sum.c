// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a loop that the compiler vectorises carries an undefined element into its sum; the same loop over
// defined elements is silent.
// COMPILE: gcc clang -O2 -O3 -ftree-vectorize
#include <stdlib.h>
#include "case.h"

NOINLINE static int sum(const int* p, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) total += p[i];
    return total;
}

int main(void) {
    int* p = HIDE((int*)malloc(1024 * sizeof(int)));  /* label: A */
    for (int i = 0; i < 1000; i++) p[i] = i;
    ESCAPE(p);
    int good = sum(p, 1000);
    BRANCH_ON(good == 5);
    int bad = sum(p, 1004);
    BRANCH_ON(bad == 5);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
