// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thread that would find an interpreter's lock free, but by its clock still held, waits until it is released
// COMPILE: gcc clang -O0 -O2 -pthread
// ARGS: --sharing-floor=1000000000
// SET: ROUNDS=4 STORES=20000
// SET: ROUNDS=3 STORES=30000
// ALSO: --interleave=100
// What a thread finds under a mutex may be by 1,000 units from what it would have found. Side by side they would miss
// some 100,000 times.
// COUNTS: modelled watched misses=2*ROUNDS..2*ROUNDS+200 cold=1
// COUNTS: observed watched misses=2*ROUNDS cold=1 invalidations=2*ROUNDS-1
// EXPECT: nothing
#include <sched.h>
#include <semaphore.h>

#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];
static LINE_ALIGNED struct {
    pthread_mutex_t mutex;
    pthread_cond_t free;
    int locked, waiting;
} lock = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static LINE_ALIGNED sem_t taken, done;
static LINE_ALIGNED char end[LINE];

static void take(void) {
    pthread_mutex_lock(&lock.mutex);
    ++lock.waiting;
    while (lock.locked) pthread_cond_wait(&lock.free, &lock.mutex);
    --lock.waiting;
    lock.locked = 1;
    pthread_mutex_unlock(&lock.mutex);
}

static void give_back(void) {
    pthread_mutex_lock(&lock.mutex);
    lock.locked = 0;
    pthread_cond_signal(&lock.free);
    pthread_mutex_unlock(&lock.mutex);
}

static int somebody_waits(void) {
    pthread_mutex_lock(&lock.mutex);
    const int waiting = lock.waiting;
    pthread_mutex_unlock(&lock.mutex);
    return waiting;
}

// Many instructions in few superblocks…
static void use(int times) {
    for (int i = 0; i < times; ++i) {
#define STORE_ALL STORE(watched[0], i); STORE(watched[2], i); STORE(watched[5], i); STORE(watched[7], i);
        STORE_ALL STORE_ALL STORE_ALL STORE_ALL STORE_ALL STORE_ALL STORE_ALL STORE_ALL
    }
}

// …so that the first thread has released the lock when the second one, with fewer instructions, asks for it.
static void work(int index) {
    for (int round = -5; round < ROUNDS; ++round) {
        const int times = round < 0 ? 0 : STORES;  // at first the second thread waits, which shows the lock
        if (index == 1) NEED_TRUE(sem_wait(&taken) == 0);
        if (index == 1 && times) pass_time(120000);
        take();
        if (index == 0) NEED_TRUE(sem_post(&taken) == 0);
        if (times) use(times);
        else if (index == 0) while (!somebody_waits()) sched_yield();
        give_back();
        if (index == 0) NEED_TRUE(sem_wait(&done) == 0);
        else NEED_TRUE(sem_post(&done) == 0);
    }
}

int main(void) {
    sem_init(&taken, 0, 0);
    sem_init(&done, 0, 0);
    run_threads(2, work);
    return end[1];
}
