// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined value that stays in a callee-saved register while other functions run is found.
// COMPILE: gcc clang -O1 -O2
#include <stdlib.h>
#include "case.h"

NOINLINE static long work(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += i ^ (sum << 1);
    return sum;
}

NOINLINE static void run(const long* p) {
    long value = HIDE(p[0]);
    long other = work(100) + work(200);
    NEED(other);
    BRANCH_ON(value == 5);  /* expect: UninitCondition origin=A */
}

int main(void) {
    long* p = HIDE((long*)malloc(8));  /* label: A */
    run(p);
    free(p);
    return 0;
}
