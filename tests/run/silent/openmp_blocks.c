// SPDX-License-Identifier: GPL-2.0-or-later
//
// Four threads that each use only their own data: a sort by blocks with a merge,
// a histogram with private bins. No line goes back and forth, so there is nothing to report.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4, kItems = 40000, kBins = 64 };

static int compare(const void* a, const void* b) {
    const int left = *(const int*)a, right = *(const int*)b;
    return (left > right) - (left < right);
}

static long sort_blocks(void) {
    int* items = aligned_alloc(64, sizeof(int) * kItems);
    int* sorted = aligned_alloc(64, sizeof(int) * kItems);
    for (int i = 0; i < kItems; ++i) items[i] = (int)((i * 2654435761u) >> 8) % 100000;
    const int block = kItems / kThreads;
#pragma omp parallel for schedule(static, 1)
    for (int b = 0; b < kThreads; ++b) qsort(items + b * block, block, sizeof(int), compare);
    int at[kThreads] = {0};
    for (int i = 0; i < kItems; ++i) {
        int best = -1;
        for (int b = 0; b < kThreads; ++b)
            if (at[b] < block && (best < 0 || items[b * block + at[b]] < items[best * block + at[best]]))
                best = b;
        sorted[i] = items[best * block + at[best]++];
    }
    long sum = 0;
    for (int i = 0; i < kItems; i += 97) sum += (long)sorted[i] * i;
    free(items);
    free(sorted);
    return sum;
}

static long histogram(void) {
    unsigned char* data = malloc(kItems * 4);
    long bins[kBins] = {0};
    for (int i = 0; i < kItems * 4; ++i) data[i] = (unsigned char)((i * 2654435761u) >> 13);
#pragma omp parallel
    {
        long mine[kBins] = {0};
#pragma omp for schedule(static)
        for (int i = 0; i < kItems * 4; ++i) mine[data[i] % kBins]++;
#pragma omp critical
        for (int i = 0; i < kBins; ++i) bins[i] += mine[i];
    }
    long sum = 0;
    for (int i = 0; i < kBins; ++i) sum += bins[i] * (i + 1);
    free(data);
    return sum;
}

int main(void) {
    omp_set_num_threads(kThreads);
    printf("%ld %ld\n", sort_blocks(), histogram());
    return 0;
}
