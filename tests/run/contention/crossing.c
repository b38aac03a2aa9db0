// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an access that crosses a line touches both lines
// COMPILE: gcc -O0 -O2 -pthread
// SET: COUNT=20000 AT=60
// SET: COUNT=5000 AT=57
// SET: COUNT=9000 AT=63
// COUNTS: modelled bytes misses=4*COUNT~3% invalidations=4*COUNT~3% cold=2 true=0
// SHARING: FalseSharing names="bytes"
#include "workers.h"

static LINE_ALIGNED unsigned char bytes[2 * LINE];
struct Straddling {
    long value;
} __attribute__((packed));

static void work(int index) {
    struct Straddling* mine = (struct Straddling*)&bytes[index == 0 ? 0 : index == 1 ? AT : 120];
    for (int i = 0; i < COUNT; ++i) INCREMENT(mine->value);
}

int main(void) {
    run_together(3, work);
    return 0;
}
