/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two threads: one reads `input` and writes the first half of `output`, the other walks `input` backwards and writes the
 * second half. Main made a heap block that the second thread alone reads. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { N = 40000 };
static int64_t input[N], output[N];
static volatile int64_t *block;

static void *forwards(void *unused) {
    for (int r = 0; r < 20; ++r)
        for (int i = 0; i < N / 2; ++i) ((volatile int64_t *)output)[i] = ((volatile int64_t *)input)[i];
    return unused;
}
static void *backwards(void *unused) {
    for (int r = 0; r < 20; ++r)
        for (int i = N - 1; i >= N / 2; --i)
            ((volatile int64_t *)output)[i] = ((volatile int64_t *)input)[N - 1 - i] + block[i % 100];
    return unused;
}

int main(void) {
    pthread_t one, two;
    block = calloc(100, sizeof *block);
    pthread_create(&one, NULL, forwards, NULL);
    pthread_create(&two, NULL, backwards, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free((void *)block);
    return 0;
}
