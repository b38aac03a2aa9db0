/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two threads: blocks of two places, one after the other in the same memory. Every word of the first ones is written once, of
 * the second ones twice. */
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 200, WORDS = 512 };

static void fill(volatile long *block, int times) {
    for (int k = 0; k < times; ++k)
        for (int i = 0; i < WORDS; ++i) block[i] = i;
}

static volatile long *first_block(void) { return malloc(WORDS * sizeof(long)); }
static volatile long *second_block(void) { return malloc(WORDS * sizeof(long)); }

static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; ++i) {
        volatile long *block = first_block();
        fill(block, 1);
        free((void *)block);
        block = second_block();
        fill(block, 2);
        free((void *)block);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    return 0;
}
