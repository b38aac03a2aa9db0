// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parallel regions and barriers that are so frequent that OpenMP's own words always go from thread to thread. The
// program's own data is in disjoint blocks, so there is nothing to report.
#include <omp.h>
#include <stdio.h>

enum { kThreads = 4, kItems = 2048, kRegions = 800, kPhases = 200 };
static double items[kItems] __attribute__((aligned(64)));

int main(void) {
    omp_set_num_threads(kThreads);
    for (int region = 0; region < kRegions; ++region) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < kItems; ++i) items[i] = items[i] * 0.5 + i;
    }
#pragma omp parallel
    for (int phase = 0; phase < kPhases; ++phase) {
        const int first = omp_get_thread_num() * (kItems / kThreads);
        for (int i = first; i < first + kItems / kThreads; ++i) items[i] = items[i] * 0.5 + phase;
#pragma omp barrier
    }
    printf("%.6f\n", items[7]);
    return 0;
}
