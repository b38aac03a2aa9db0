// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an uninitialised value of a frame is reported with the variable that it stood in, its member or element,
// also after it was copied, passed on, or handed to the kernel; of variables that share their place the one that is
// alive is named.
// COMPILE: gcc clang -O0 -O1 -O2 -Wno-uninitialized -Wno-maybe-uninitialized
#include <string.h>
#include <unistd.h>

#include "case.h"

struct record {
    char tag;
    int number;
    double sums[3];
};

NOINLINE static void look(const struct record* r) {
    BRANCH_ON(r->sums[1] > 2);  /* expect: UninitCondition text="variable .records\[2\]\.sums\[1\].$" origin=A */
}

NOINLINE static void several(int which) {  /* label: A */
    struct record records[3];
    int grid[4][5];
    ESCAPE(records);
    ESCAPE(grid);
    look(&records[2]);
    BRANCH_ON(grid[3][2] == 7);  /* expect: UninitCondition text="variable .grid\[3\]\[2\].$" origin=A */
    if (which > 1) {
        char first[64];
        ESCAPE(first);
        BRANCH_ON(first[9] == 'x');  /* expect: UninitCondition text="variable .first\[9\].$" origin=A */
    } else {
        short second[32];
        ESCAPE(second);
        BRANCH_ON(second[9] == 7);  /* expect: UninitCondition text="variable .second\[9\].$" origin=A */
    }
}

NOINLINE static void copied(void) {  /* label: B */
    int from[6];
    int to[6] = {0};
    ESCAPE(from);
    memcpy(HIDE(to), HIDE(from), HIDE(sizeof to));
    ESCAPE(to);
    BRANCH_ON(to[4] == 7);  /* expect: UninitCondition text="variable .from(\[\d\])?.$" origin=B */
}

NOINLINE static void written(int pipe) {  /* label: C */
    struct record record;
    ESCAPE(&record);
    record.tag = 1;
    record.number = 2;
    for (int i = 0; i < 3; ++i) record.sums[i] = 0;
    ESCAPE(&record);
    NEED(write(pipe, &record, sizeof record) < 0);  /* expect: SyscallParam text="padding of variable .record.$" origin=C */
}

int main(void) {
    int ends[2];
    for (int i = 1, last = HIDE(2); i <= last; ++i) several(i);
    copied();
    if (pipe(ends) == 0) written(ends[1]);
    return 0;
}
