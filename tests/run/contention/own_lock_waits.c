// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: turns under a lock of the program's own take the lines of what it guards once each, whichever kind of lock it is
// PROVES: and however threads wait for it: without a hint, with one, or with a yield
// COMPILE: gcc clang -O1 -pthread
// SET: KIND=0 WAIT=0 ROUNDS=200
// SET: KIND=0 WAIT=1 ROUNDS=200
// SET: KIND=1 WAIT=0 ROUNDS=200
// SET: KIND=1 WAIT=1 ROUNDS=200
// SET: KIND=1 WAIT=2 ROUNDS=200
// SET: KIND=2 WAIT=1 ROUNDS=200
// SET: KIND=3 WAIT=0 ROUNDS=200
// SET: KIND=3 WAIT=1 ROUNDS=200
// SET: KIND=4 WAIT=0 ROUNDS=200
// SET: KIND=4 WAIT=1 ROUNDS=200
// Before the word is known as a lock, the first turn of each thread may meet those of others.
// COUNTS: modelled sums misses=28*4*ROUNDS..36*4*ROUNDS false<=16*ROUNDS
// SHARING: anything
#include <sched.h>

#include "workers.h"

#define TEST_AND_SET 0
#define LOOK_BETWEEN 1
#define COMPARE 2
#define LOOK_FIRST 3
#define QUEUE 4

#define THREADS 4
#define COUNT 512  // 32 lines

#if WAIT == 0
#define REST() (void)0
#elif WAIT == 1
#define REST() PAUSE()
#else
#define REST() sched_yield()
#endif

static LINE_ALIGNED int sums[COUNT];
static LINE_ALIGNED int lock;
struct Place {
    LINE_ALIGNED struct Place* next;
    int waits;
};
static LINE_ALIGNED struct Place places[THREADS];
static LINE_ALIGNED struct Place* last;

static void take(struct Place* mine) {
#if KIND == TEST_AND_SET
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) REST();
#elif KIND == LOOK_BETWEEN
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&lock, __ATOMIC_RELAXED)) REST();
#elif KIND == COMPARE
    for (int none = 0; !__atomic_compare_exchange_n(&lock, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); none = 0) REST();
#elif KIND == LOOK_FIRST
    int none = 0;
    do {
        while (__atomic_load_n(&lock, __ATOMIC_RELAXED)) REST();
        none = 0;
    } while (!__atomic_compare_exchange_n(&lock, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
#else
    mine->next = NULL;
    mine->waits = 1;
    struct Place* const before = __atomic_exchange_n(&last, mine, __ATOMIC_ACQ_REL);
    if (before == NULL) return;
    __atomic_store_n(&before->next, mine, __ATOMIC_RELEASE);
    while (__atomic_load_n(&mine->waits, __ATOMIC_ACQUIRE)) REST();
#endif
}

static void give(struct Place* mine) {
#if KIND == QUEUE
    struct Place* next = __atomic_load_n(&mine->next, __ATOMIC_ACQUIRE);
    if (next == NULL) {
        struct Place* own = mine;
        if (__atomic_compare_exchange_n(&last, &own, NULL, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
        while ((next = __atomic_load_n(&mine->next, __ATOMIC_ACQUIRE)) == NULL) REST();
    }
    __atomic_store_n(&next->waits, 0, __ATOMIC_RELEASE);
#else
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
#endif
}

static void work(int index) {
    int own[COUNT];
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < 3 * COUNT; ++i) STORE(own[i % COUNT], i ^ round ^ index);
        take(&places[index]);
        for (int i = 0; i < COUNT; ++i) {
            const int at = index % 2 == 0 ? i : COUNT - 1 - i;
            STORE(sums[at], LOAD(sums[at]) + LOAD(own[at]));
        }
        give(&places[index]);
    }
}

int main(void) {
    run_together(THREADS, work);
    return 0;
}
