// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: counts from before an exec are in the profile file
// COMPILE: gcc -O0 -O2 -pthread
// XML: no
// MADE-BY: exec
// SET: THREADS=2 COUNT=20000
// SET: THREADS=5 COUNT=4000
// COUNTS: modelled counters misses=THREADS*COUNT~5% invalidations=THREADS*COUNT~5%
#include <unistd.h>

#include "workers.h"

static LINE_ALIGNED int counters[LINE / sizeof(int)];

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) INCREMENT(counters[index]);
}

int main(void) {
    run_together(THREADS, work);
    execl("/bin/true", "true", (char*)NULL);
    return 4;
}
