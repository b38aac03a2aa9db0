// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thread that uses a block which another thread freed is reported in its own thread, with the
// other's stack of free.
// COMPILE: gcc -O0 -O2 -pthread
#include <pthread.h>
#include <stdlib.h>
#include "case.h"

static volatile int* shared;
static pthread_barrier_t both;  // two threads at once, so that they have two numbers

static void* freer(void* unused) {
    pthread_barrier_wait(&both);
    free((void*)shared);  /* label: F */
    BARRIER();
    return 0;
}
static void* user(void* first) {
    pthread_barrier_wait(&both);
    pthread_join(*(pthread_t*)first, 0);
    shared[2] = 1;  /* expect: InvalidWrite alloc=A free=F tid=3 */
    return 0;
}

int main(void) {
    shared = (int*)malloc(40);  /* label: A */
    pthread_barrier_init(&both, 0, 2);
    pthread_t t;
    pthread_create(&t, 0, freer, 0);
    pthread_t u;
    pthread_create(&u, 0, user, &t);
    pthread_join(u, 0);
    return 0;
}
