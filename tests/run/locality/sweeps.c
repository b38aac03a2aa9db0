// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the locality of two arrays, through which two threads go at the same time, is what follows on paper, of all
// accesses and of a sample
// COMPILE: gcc clang -O1 -O2 -pthread
// ARGS: --locality=exact --contention=no
// ALSO: --locality=yes
// EXPECT: nothing
// Words in order, each used again after 4,096 words: 5/16. Every eighth word, used again after 512 of them: 8/16.
// LOCALITY: object words accesses>=810000 accesses<=830000 spatial>=0.98 spatial<=1 temporal>=0.29 temporal<=0.32
// LOCALITY: object eighths accesses>=810000 accesses<=830000 spatial>=0.115 spatial<=0.13 temporal>=0.48 temporal<=0.51
// LOCALITY: function sweep accesses>=1620000 accesses<=1660000
#include <pthread.h>

enum { WORDS = 4096, ACCESSES = 200 * WORDS };
volatile long words[WORDS], eighths[WORDS];

__attribute__((noinline)) static void sweep(volatile long *array, int step) {
    for (int done = 0; done < ACCESSES;)
        for (int i = 0; i < WORDS; i += step, ++done) (void)array[i];
}

static void *other(void *unused) {
    sweep(eighths, 8);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    sweep(words, 1);
    pthread_join(thread, 0);
    return 0;
}
