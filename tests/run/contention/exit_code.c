// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a finding counts as an error for --error-exitcode
// COMPILE: gcc -O0 -O2 -pthread
// ARGS: --error-exitcode=9
// EXPECT-EXIT: 9
// SHARING: FalseSharing names="counters"
#include "workers.h"

static LINE_ALIGNED short counters[LINE / sizeof(short)];

static void work(int index) {
    for (int i = 0; i < 30000; ++i) INCREMENT(counters[index * 3]);
}

int main(void) {
    run_together(3, work);
    return 0;
}
