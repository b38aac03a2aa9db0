// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: two elements of one array that two threads use are to be padded: elements cannot be aligned one by one
// COMPILE: gcc clang -O1 -g -pthread
// SET: COUNT=20000
// ALSO: --defects=no
// SHARING: FalseSharing names="kinetic" text="Pad each element of kinetic \(8 bytes\) to 64"
#include "workers.h"

static LINE_ALIGNED double kinetic[8];

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) STORE(kinetic[index], LOAD(kinetic[index]) + i);
}

int main(void) {
    run_together(2, work);
    return 0;
}
