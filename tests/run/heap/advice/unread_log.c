// SPDX-License-Identifier: GPL-2.0-or-later
// Each step's state is kept for a log that is never printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double state[64] = {0};
    const int is_printed = getenv("MEMSPY_TEST_PRINTS_LOG") != NULL;
    double* log = NULL;
#ifdef FIXED
    if (is_printed)
#endif
        log = malloc(500 * sizeof state);  // ADVICE: unread: drop what is written
    for (int step = 0; step < 500; ++step) {
        for (int i = 0; i < 64; ++i) state[i] = state[(i + 1) % 64] * .5 + i;
        if (log) memcpy(log + 64 * step, state, sizeof state);
    }
    if (is_printed)
        for (int i = 0; i < 500 * 64; ++i) printf("%g\n", log[i]);
    printf("%g\n", state[3]);
    free(log);
}
