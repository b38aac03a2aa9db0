// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: neighbouring bytes of one word that belong to two threads are falsely shared: bytes count, not words
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: COUNT=30000 FIRST=0 SECOND=1
// SET: COUNT=12000 FIRST=61 SECOND=62
// SET: COUNT=9000 FIRST=3 SECOND=2
// COUNTS: modelled flags misses=2*COUNT~3% invalidations=2*COUNT~3% true=0
// SHARING: FalseSharing names="flags"
#include <stdbool.h>

#include "workers.h"

static LINE_ALIGNED bool flags[LINE];

static void work(int index) {
    char* mine = (char*)&flags[index ? SECOND : FIRST];
    for (int i = 0; i < COUNT; ++i) INCREMENT(*mine);
}

int main(void) {
    run_together(2, work);
    return 0;
}
