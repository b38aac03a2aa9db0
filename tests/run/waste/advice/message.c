// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: a message is made for each step, and shown for few. FIXED: made where it is shown.
#include <stdio.h>
#include <stdlib.h>

static int level;
static char message[200];

__attribute__((noinline)) static void note(int step, double value) {
#ifdef FIXED
    if (level == 0 && step % 1000 != 0)
        return;
#endif
    snprintf(message, sizeof message, "step %d of the computation: the value is now %d and its half %d", step, (int)value, (int)value / 2); // WASTE: formatted
    if (level > 0 || step % 1000 == 0)
        puts(message);
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 2000;
    double value = 1;
    for (int i = 1; i <= steps; ++i) {
        value = value * 1.001 + i;
        note(i, value);
    }
    return 0;
}
