// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an access that crosses a line touches each of the two
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
    struct Straddling* middle = (struct Straddling*)&bytes[AT];
    int* first = (int*)&bytes[0];
    int* last = (int*)&bytes[2 * LINE - sizeof(int)];
    for (int i = 0; i < COUNT; ++i) {
        if (index == 0) INCREMENT(*first);
        else if (index == 1) INCREMENT(middle->value);
        else INCREMENT(*last);
    }
}

int main(void) {
    run_together(3, work);
    return 0;
}
