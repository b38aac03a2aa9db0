// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a loop that looks at settings and counts in each fourth trip works, though nobody sees the trips between
// COMPILE: gcc clang -O1 -O2 -pthread
// SET: THREADS=16 ROUNDS=5000
// COUNTS: modelled settings misses=THREADS*ROUNDS/4*1.5..THREADS*ROUNDS/4*2.5
// SHARING: TrueSharing names="settings"
#include "workers.h"

static LINE_ALIGNED struct {
    int limit, steps;
    unsigned long done;
} settings = {30, 3, 0};

static int found_of[THREADS];

static unsigned step(unsigned x) {
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

static __attribute__((noinline)) int handle(unsigned x) {
    int found = 0;
    for (int i = 0; i < settings.steps; ++i) {
        x = step(x);
        found += x % 100 > (unsigned)settings.limit;
    }
    return found;
}

static void work(int index) {
    unsigned x = 17 + (unsigned)index;
    int found = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        x = x * 69069 + 1;
        found += handle(x);
        if (i % 4 == 0) __atomic_fetch_add(&settings.done, 1, __ATOMIC_RELAXED);
    }
    found_of[index] = found;
}

int main(void) {
    run_together(THREADS, work);
    int found = 0;
    for (int i = 0; i < THREADS; ++i) found += found_of[i];
    return found > 0 && settings.done == THREADS * ROUNDS / 4 ? 0 : 1;
}
