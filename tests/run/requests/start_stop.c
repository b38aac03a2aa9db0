// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: errors between stop and start of the instrumentation are not reported, those after are.
// TOOL: memspy
#include <stdlib.h>
#include "case.h"
#include "memspy.h"

NOINLINE static void put(volatile int* p, int i) {
    p[i] = 1;  /* expect: InvalidWrite alloc=A */
}

int main(void) {
    volatile int* p = HIDE((int*)malloc(40));  /* label: A */
    MEMSPY_STOP_INSTRUMENTATION;
    put(p, 10);
    for (int i = 0; i < 10; i++) put(p, i);
    MEMSPY_START_INSTRUMENTATION;
    // Data written meanwhile counts as defined, or at least gives no false report.
    put(p, 11);
    free((void*)p);
    return 0;
}
