// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the table of thread-local storage that the C library made for a thread that still runs at the end is no leak.
// EXPECT: nothing
#include <pthread.h>
#include <semaphore.h>
#include "case.h"

static sem_t begun;

static void* wait_for_ever(void* nothing) {
    sem_post(&begun);
    for (;;) sleep(1000);
    return nothing;
}

int main(void) {
    pthread_t threads[3];
    sem_init(&begun, 0, 0);
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, wait_for_ever, 0);
    for (int i = 0; i < 3; ++i) sem_wait(&begun);
    return 0;
}
