// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a line that thousands of threads use one after another, each once, does not go back and forth between any
// two of them, whichever of its bytes they use: no finding
// COMPILE: gcc clang -O1 -O2 -pthread
// SET: THREADS=2500
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED struct {
    long sum, last;
} shared;

static void* add(void* number) {
    shared.sum += (long)number;
    return NULL;
}

int main(void) {
    for (long i = 1; i <= THREADS; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, add, (void*)i) != 0) return 2;
        pthread_join(thread, NULL);
        STORE(shared.last, i);
    }
    printf("%ld\n", shared.sum);
    return 0;
}
