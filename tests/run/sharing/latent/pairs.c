// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two lines side by side. CASE: two locks with their data; one lock with data of two lines; settings that all read beside a
// counter that one changes; a buffer that is written in one phase and read in the next; shares of an array behind each other.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCKS 0
#define ONE_LOCK 1
#define SETTINGS 2
#define PHASES 3
#define SHARES 4

#ifndef THREADS
#define THREADS 4
#endif
#ifndef APART
#define APART 64
#endif

struct part {
    _Alignas(APART) pthread_mutex_t lock;
    long sum;
};
static _Alignas(256) struct part parts[2];
static _Alignas(256) struct {
    long first[8], second[8];
    pthread_mutex_t lock;
} both;
static _Alignas(256) struct {
    long settings[APART / sizeof(long)];
    long counter;
} mixed;
static _Alignas(64) long grid[THREADS * 512];
static pthread_barrier_t barrier;

static void *work(void *number) {
    const intptr_t me = (intptr_t)number;
    volatile long sink = 0;
#if CASE == LOCKS
    struct part *const mine = &parts[me % 2];
    for (int i = 0; i < 4000; ++i) {
        pthread_mutex_lock(&mine->lock);
        mine->sum += i;
        pthread_mutex_unlock(&mine->lock);
        for (int k = 0; k < 20; ++k) sink += k;
    }
#elif CASE == ONE_LOCK
    for (int i = 0; i < 4000; ++i) {
        pthread_mutex_lock(&both.lock);
        both.first[i % 8] += i;
        both.second[i % 8] += i;
        pthread_mutex_unlock(&both.lock);
        for (int k = 0; k < 20; ++k) sink += k;
    }
#elif CASE == SETTINGS
    for (int i = 0; i < 20000; ++i) {
        if (me == 0) *(volatile long *)&mixed.counter += 1;
        else sink += *(volatile long *)&mixed.settings[i % 8];
        for (int k = 0; k < 8; ++k) sink += k;
    }
#elif CASE == PHASES
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 512; ++i) grid[me * 512 + i] = i + round;
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < 512; ++i) sink += grid[(me + 1) % THREADS * 512 + i];
        pthread_barrier_wait(&barrier);
    }
#elif CASE == SHARES
    for (int round = 0; round < 200; ++round)
        for (int i = 0; i < 512; ++i) grid[me * 512 + i] += i + round;
#endif
    (void)me;
    return NULL;
}

int main(void) {
    pthread_mutex_init(&parts[0].lock, NULL);
    pthread_mutex_init(&parts[1].lock, NULL);
    pthread_mutex_init(&both.lock, NULL);
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    return 0;
}
