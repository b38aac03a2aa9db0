// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a local variable that was never set is reported where a branch depends on it, with the function of its
// frame, also after calls that pass it on; arithmetic on it is not a use.
// COMPILE: gcc clang -O0 -O2 -Wno-uninitialized -Wno-maybe-uninitialized
#include "case.h"

NOINLINE static int pass_on(int value) {
    int copy = value;
    ESCAPE(&copy);
    return copy;
}

NOINLINE static void decide(int value) {
    BRANCH_ON(value > 3);  /* expect: UninitCondition origin=A */
}

NOINLINE static void leave_unset(void) {  /* label: A */
    int local;
    ESCAPE(&local);
    decide(pass_on(local) + 1);
}

int main(void) {
    leave_unset();
    return 0;
}
