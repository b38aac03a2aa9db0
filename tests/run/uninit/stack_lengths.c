// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an uninitialised value in an array of variable length, in memory from alloca, or in a frame with an alignment
// of its own is reported with its variable and element. GCC for ARM64 places arrays of such frames relative to a register
// that has other uses (DW_OP_breg0), so there they may have no name.
// COMPILE: gcc clang -O0 -O2 -Wno-uninitialized -Wno-maybe-uninitialized
#include <alloca.h>

#include "case.h"

struct item {
    char tag;
    int number;
};

NOINLINE static void one(int n) {  /* label: A */
    int row[n];
    ESCAPE(row);
    BRANCH_ON(row[3] == 5);  /* expect: UninitCondition text="variable .row\[3\].$" origin=A */
}

NOINLINE static void taken(int n) { struct item* items = alloca((unsigned)n * sizeof *items);  /* label: C */
    ESCAPE(items);
    BRANCH_ON(items[3].number == 5);  /* expect: UninitCondition text="memory from alloca, .items\[3\].number.$" origin=C */
}

NOINLINE static void aligned(int n) {  /* label: D */
    _Alignas(64) int wide[20];
    int* taken_too = alloca((unsigned)n * sizeof *taken_too);
    ESCAPE(wide);
    ESCAPE(taken_too);
    BRANCH_ON(wide[9] == 5);  /* expect: UninitCondition text="variable .wide\[9\].$" origin=D only=x86_64 *//* expect: UninitCondition origin=D only=aarch64 */
    BRANCH_ON(taken_too[5] == 5);  /* expect: UninitCondition text="memory from alloca, .taken_too\[5\].$" origin=D */
}

NOINLINE static void only_aligned(void) {  /* label: E */
    _Alignas(64) int wide[20];
    ESCAPE(wide);
    BRANCH_ON(wide[9] == 5);  /* expect: UninitCondition text="variable .wide\[9\].$" origin=E only=x86_64 *//* expect: UninitCondition origin=E only=aarch64 */
}

int main(void) {
    for (int n = HIDE(9); n < HIDE(11); ++n) {
        one(n);
        taken(n);
        aligned(n);
        only_aligned();
    }
    return 0;
}
