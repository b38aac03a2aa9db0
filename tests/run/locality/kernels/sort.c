/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sort of integers by buckets, ROUNDS times: threads count their keys by bucket, each in a block of its own, put them there, and
 * rank those of their buckets. Where a thread puts the next key of each bucket is its own thread's variable. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef KEYS
#define KEYS 65536
#define VALUES 2048
#define BUCKETS 512
#define ROUNDS 10
#endif
enum { MOST_THREADS = 4 };

static int keys[KEYS], sorted[KEYS], ranks[VALUES], bucket_end[BUCKETS];
static int *bucket_size[MOST_THREADS];
static __thread int next_of[BUCKETS];

/* The run-time on the compiler's hooks, where there is one. */
__attribute__((weak)) void oracle_track(const char *name, const void *at, size_t size);

static void track(int thread, const int *block) {
    char name[32];
    if (oracle_track == NULL) return;
    snprintf(name, sizeof name, "bucket_size[%d]", thread);
    oracle_track(name, block, BUCKETS * sizeof(int));
    snprintf(name, sizeof name, "next_of of thread %d", thread + 1);
    oracle_track(name, next_of, sizeof next_of);
}
static void make_keys(void) {
    unsigned lot = 271828;
    for (int i = 0; i < KEYS; ++i) {
        unsigned sum = 0;
        for (int k = 0; k < 4; ++k) {
            lot = lot * 1664525 + 1013904223;
            sum += (lot >> 8) % (VALUES / 4);
        }
        keys[i] = (int)sum;
    }
}
static void rank_keys(int round) {
    keys[round] = round;
    keys[round + ROUNDS] = VALUES - 1 - round;
#pragma omp parallel
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        int *size = bucket_size[thread];
        for (int i = 0; i < BUCKETS; ++i) size[i] = 0;
#pragma omp for schedule(static)
        for (int i = 0; i < KEYS; ++i) ++size[keys[i] / (VALUES / BUCKETS)];
        int before = 0;
        for (int i = 0; i < BUCKETS; ++i) {
            next_of[i] = before;
            for (int t = 0; t < threads; ++t) {
                if (t < thread) next_of[i] += bucket_size[t][i];
                before += bucket_size[t][i];
            }
        }
#pragma omp barrier
#pragma omp for schedule(static)
        for (int i = 0; i < KEYS; ++i) {
            const int key = keys[i];
            sorted[next_of[key / (VALUES / BUCKETS)]++] = key;
        }
        if (thread == threads - 1)
            for (int i = 0; i < BUCKETS; ++i) bucket_end[i] = next_of[i];
#pragma omp barrier
#pragma omp for schedule(static)
        for (int i = 0; i < BUCKETS; ++i) {
            const int low = i * (VALUES / BUCKETS), begin = i > 0 ? bucket_end[i - 1] : 0;
            for (int value = low; value < low + VALUES / BUCKETS; ++value) ranks[value] = 0;
            for (int k = begin; k < bucket_end[i]; ++k) ++ranks[sorted[k]];
            int below = begin;
            for (int value = low; value < low + VALUES / BUCKETS; ++value) {
                below += ranks[value];
                ranks[value] = below;
            }
        }
    }
}
int main(void) {
#pragma omp parallel
    {
        const int thread = omp_get_thread_num();
#pragma omp critical
        {
            int *const block = malloc(BUCKETS * sizeof(int));
            track(thread, block);
            bucket_size[thread] = block;
        }
    }
    make_keys();
    for (int round = 0; round < ROUNDS; ++round) rank_keys(round);
    printf("%s\n", ranks[VALUES - 1] == KEYS ? "sorted" : "wrong");
    return 0;
}
