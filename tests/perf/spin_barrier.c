// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: threads that compute a little and then spin at a barrier of their own, with a hint to the processor.
// There are more threads than processors.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 8, kItems = 512 };

static int rounds;
static atomic_int arrived, phase;
static long sums[kThreads][kItems];

static void pause_processor(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("yield");
#endif
}

static void wait_for_all(void) {
    const int mine = atomic_load(&phase);
    if (atomic_fetch_add(&arrived, 1) + 1 == kThreads) {
        atomic_store(&arrived, 0);
        atomic_store(&phase, mine + 1);
    } else {
        while (atomic_load(&phase) == mine) pause_processor();
    }
}

static void* work(void* argument) {
    const long index = (long)argument;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < kItems; ++i) sums[index][i] += sums[index][(i + 1) % kItems] % 3 + i;
        wait_for_all();
    }
    return NULL;
}

int main(int argc, char** argv) {
    rounds = argc > 1 ? atoi(argv[1]) : 100;
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    printf("%d\n", atomic_load(&phase));
    return 0;
}
