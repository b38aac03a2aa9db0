// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: with --max-stackframe a frame of megabytes is a frame, and its uninitialised bytes are reported.
// ARGS: --max-stackframe=4000000
// COMPILE: gcc clang -O0 -O2
#include "case.h"

NOINLINE static void large(void) {  /* label: A */
    int cells[750000];
    ESCAPE(cells);
    BRANCH_ON(cells[70000] == 7);  /* expect: UninitCondition origin=A text="variable .cells\[70000\].$" */
}

int main(void) {
    large();
    return 0;
}
