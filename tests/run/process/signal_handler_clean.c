// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: signal handlers that run while registers and stack hold undefined values are silent, and the
// values are still undefined after them.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

static volatile int hits;

static void handler(int signal) {
    char area[500];
    memset(HIDE(area), 1, sizeof area);
    for (int i = 0; i < 500; i++) if (area[i] != 1) abort();
    hits += signal == SIGUSR1;
}

NOINLINE static void interrupted(long* p) {
    long a = HIDE(p[0]), b = HIDE(p[1]);
    for (int i = 0; i < 10; i++) raise(SIGUSR1);
    b = HIDE(b + a);
    BRANCH_ON(b == 3);  /* expect: UninitCondition origin=A */
}

int main(void) {
    signal(SIGUSR1, handler);
    long* p = HIDE((long*)malloc(16));  /* label: A */
    interrupted(p);
    free(p);
    return hits != 10;
}
