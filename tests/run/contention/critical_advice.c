// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: advice on what OpenMP's critical sections protect names no memory as their lock, for libgomp's has no address;
// PROVES: what the advice names is in the profile
// COMPILE: gcc -O0 -O2 -fopenmp
// ARGS: --leak-check=no
// SET: COUNT=2000
// SHARING: TrueSharing names="longest" text="Threads take turns with longest, under a lock: take the lock less often" at="take"
#include <omp.h>

#include "workers.h"

static LINE_ALIGNED long longest;

int main(void) {
#pragma omp parallel for num_threads(4)
    for (long i = 0; i < COUNT; ++i) {
        const long length = i * 7919 % 1013;
#pragma omp critical
        if (length >= longest % 1013) longest = longest / 2 + length; /* label: take */
    }
    printf("%ld\n", longest);
    return 0;
}
