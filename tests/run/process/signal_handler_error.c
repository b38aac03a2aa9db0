// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a defect in a signal handler is reported; the program goes on.
#include <signal.h>
#include <stdlib.h>
#include "case.h"

static volatile char* p;

static void handler(int signal) {
    p[8] = 1;  /* expect: InvalidWrite alloc=A */
}

int main(void) {
    p = (char*)malloc(8);  /* label: A */
    signal(SIGUSR1, handler);
    for (int i = 0; i < 3; i++) raise(SIGUSR1);
    free((void*)p);
    return 0;
}
