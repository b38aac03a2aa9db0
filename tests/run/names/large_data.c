// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: variables in the sections of large data (.lbss, .ldata) have their names
// COMPILE: gcc clang -O1 -mcmodel=medium -pthread
// ARCH: x86_64
// SET: COUNT=20000
// COUNTS: modelled zeroed false>=2*COUNT
// COUNTS: modelled initialised false>=2*COUNT
// SHARING: FalseSharing names="zeroed initialised"
#include "workers.h"

static LINE_ALIGNED long zeroed[20000];
static LINE_ALIGNED long initialised[20000] = {[19999] = 1};

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        INCREMENT(zeroed[index]);
        INCREMENT(initialised[1000 + index]);
    }
}

int main(void) {
    run_together(4, work);
    return 0;
}
