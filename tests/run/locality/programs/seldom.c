// SPDX-License-Identifier: GPL-2.0-or-later
// Variables that have a few accesses beside millions of others, in the last thread's turn for the first time.
#include <pthread.h>
#include <stdlib.h>

enum { WORDS = 1 << 14, ROUNDS = 120, THREADS = 3 };
static volatile int config, results[THREADS];
static volatile short never;
static volatile double hot[WORDS];
static __thread volatile long own[64];
static int* volatile chosen;

static void* work(void* argument) {
    const long number = (long)argument;
    for (int round = 0; round < ROUNDS; ++round)
        for (int i = 0; i < WORDS; ++i) hot[i] += 1;
    results[number] = config + chosen[0];
    return NULL;
}

int main(int argc, char** argv) {
    (void)argv;
    if (argc > 1) never = 1;
    config = 3;
    own[5] += config;
    chosen = malloc(24);
    chosen[0] = 1;
    for (long i = 0; i < THREADS; ++i) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, (void*)i);
        pthread_join(thread, NULL);
    }
    return results[THREADS - 1] == 4 ? 0 : 1;
}
