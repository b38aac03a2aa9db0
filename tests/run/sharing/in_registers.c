// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: counters that the compiler keeps in registers give no finding, though the source has the same neighbours; without optimisation they do
// COMPILE: gcc clang -O2 -O0 -pthread
// SET: THREADS=4 COUNT=50000
// SET: THREADS=7 COUNT=9000
// COUNTS: modelled counters events<=12*THREADS when=-O2
// COUNTS: modelled counters events>=THREADS*COUNT when=-O0
// SHARING: FalseSharing names="counters" when=-O0
#include "workers.h"

static LINE_ALIGNED int counters[LINE / sizeof(int)];

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) counters[index] += (i ^ 3) * (i | index);
}

int main(void) {
    run_together(THREADS, work);
    return counters[0] == 0;
}
