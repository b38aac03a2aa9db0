// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: --contention=no switches sharing off as well: the worst program gives no finding
// COMPILE: gcc -O2 -pthread
// ARGS: --contention=no --error-exitcode=9
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED int counters[LINE / sizeof(int)];

static void work(int index) {
    for (int i = 0; i < 30000; ++i) INCREMENT(counters[index]);
}

int main(void) {
    run_together(4, work);
    return 0;
}
