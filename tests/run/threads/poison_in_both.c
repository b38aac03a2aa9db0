// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: poison in the registers of one thread does not affect another thread that runs the same code.
// COMPILE: gcc -O1 -O2 -pthread
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include "case.h"

NOINLINE static long spin(long seed) {
    for (int i = 0; i < 2000; i++) {
        seed = seed * 3 + 1;
        seed = HIDE(seed);
        if (i % 500 == 0) sched_yield();
    }
    return seed;
}
static void* clean(void* p) {
    long value = spin(*(long*)p);
    BRANCH_ON(value == 0);
    return 0;
}
static void* dirty(void* p) {
    long value = HIDE(spin(*(long*)p));
    BRANCH_ON(value == 0);  /* expect: UninitCondition origin=A */
    return 0;
}

int main(void) {
    long* bad = HIDE((long*)malloc(8));  /* label: A */
    long* good = HIDE((long*)calloc(1, 8));
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, i == 1 ? dirty : clean, i == 1 ? bad : good);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    free(bad);
    free(good);
    return 0;
}
