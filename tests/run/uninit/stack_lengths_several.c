// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: each of several arrays of variable length has its name, and the fixed variables beside them keep theirs.
// COMPILE: gcc clang -O0 -Wno-uninitialized -Wno-maybe-uninitialized
#include "case.h"

struct item {
    char tag;
    int number;
};

NOINLINE static void several(int n) {  /* label: A */
    struct item items[n];
    int table[n][3], fixed[6];
    ESCAPE(items);
    ESCAPE(table);
    ESCAPE(fixed);
    BRANCH_ON(items[4].number == 5);  /* expect: UninitCondition text="variable .items\[4\].number.$" origin=A */
    BRANCH_ON(table[2][1] == 5);  /* expect: UninitCondition text="variable .table\[2\]\[1\].$" origin=A */
    BRANCH_ON(fixed[2] == 5);  /* expect: UninitCondition text="variable .fixed\[2\].$" origin=A */
}

int main(void) {
    for (int n = HIDE(9); n < HIDE(11); ++n) several(n);
    return 0;
}
