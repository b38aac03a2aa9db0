// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: C11's threads, mutexes and condition variables are seen by the model
// COMPILE: gcc -O0 -O2 -pthread
// ARGS: --sharing-floor=1000000000
// SET: ROUNDS=12 WRITES=900
// SET: ROUNDS=50 WRITES=20
// COUNTS: modelled joined misses=2*ROUNDS cold=1 invalidations=2*ROUNDS-1
// COUNTS: observed joined misses=2*ROUNDS cold=1 invalidations=2*ROUNDS-1
// COUNTS: modelled handed misses=2*ROUNDS~10% cold=1 invalidations=2*ROUNDS-1~10%
// EXPECT: nothing
#include <threads.h>

#include "workers.h"

static LINE_ALIGNED long joined[LINE / sizeof(long)];
static LINE_ALIGNED long handed[LINE / sizeof(long)];
static LINE_ALIGNED struct {
    mtx_t lock;
    cnd_t changed;
    int turn;
} gate;

static int once(void* unused) {
    (void)unused;
    for (int i = 0; i < WRITES; ++i) INCREMENT(joined[i % 8]);
    return 0;
}

static int take_turns(void* argument) {
    const int index = (int)(long)argument;
    for (int round = 0; round < ROUNDS; ++round) {
        mtx_lock(&gate.lock);
        while (gate.turn != index) cnd_wait(&gate.changed, &gate.lock);
        mtx_unlock(&gate.lock);
        for (int i = 0; i < WRITES; ++i) INCREMENT(handed[i % 8]);
        mtx_lock(&gate.lock);
        gate.turn = !index;
        cnd_broadcast(&gate.changed);
        mtx_unlock(&gate.lock);
    }
    return index;
}

int main(void) {
    thrd_t thread, other;
    for (int round = 0; round < ROUNDS; ++round) {
        once(NULL);
        NEED_TRUE(thrd_create(&thread, once, NULL) == thrd_success);
        thrd_join(thread, NULL);
    }
    mtx_init(&gate.lock, mtx_plain);
    cnd_init(&gate.changed);
    thrd_create(&thread, take_turns, (void*)0L);
    thrd_create(&other, take_turns, (void*)1L);
    int result = 0;
    thrd_join(other, &result);
    thrd_join(thread, NULL);
    return result != 1;
}
