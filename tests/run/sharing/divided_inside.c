// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: variables of one line whose members are used by different threads need more than a line each, and the
// PROVES: advice says so
// COMPILE: gcc -O0 -O2 -fno-toplevel-reorder -pthread
// SET: COUNT=9000 DIVIDED=1
// SET: COUNT=9000 DIVIDED=0
// SHARING: FalseSharing names="left right" text="each \(alignas\(64\)\); inside them, too, .*: removes" when=DIVIDED=1
// SHARING: FalseSharing names="left right" text="each \(alignas\(64\)\): removes" when=DIVIDED=0
#include "workers.h"

struct Pair {
    long first, second;
};
static LINE_ALIGNED struct Pair left;
static struct Pair right;

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        if (!DIVIDED) {
            INCREMENT(*(index ? &right.first : &left.first));
        } else if (index) {
            INCREMENT(left.second);
            INCREMENT(right.second);
        } else {
            INCREMENT(left.first);
            INCREMENT(right.first);
        }
    }
}

int main(void) {
    run_together(2, work);
    return 0;
}
