// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a function's static variable is named without the number that the compiler appends
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: COUNT=20000
// SHARING: FalseSharing names="hits" text="inside hits( |$)" when=gcc
// SHARING: FalseSharing names="work.hits" when=clang
#include "workers.h"

static void work(int index) {
    static LINE_ALIGNED long hits[8];
    for (int i = 0; i < COUNT; ++i) INCREMENT(hits[index]);
}

int main(void) {
    run_together(4, work);
    return 0;
}
