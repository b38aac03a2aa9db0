// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: thousands of threads that each run next to nothing have one row of figures, a few have their own; one that
// PROVES: works has its own among them, and what is updated by all is found whichever threads they were; memory that
// PROVES: each had after the other is one object
// COMPILE: gcc -O1 -pthread
// SET: THREADS=2000 WORKERS=2
// SET: THREADS=40 WORKERS=1
// COUNTS: modelled total threads=THREADS+WORKERS+1 named=WORKERS+1+THREADS%2000 owners<=80
// COUNTS: modelled total_of misses>=THREADS-2 true>=THREADS
// SHARING: nothing
// TIMEOUT: 120
#include "workers.h"

#define EACH (2000 / WORKERS)
static LINE_ALIGNED long total_of;
static LINE_ALIGNED long worked[WORKERS][LINE / sizeof(long)];

static void* add(void* argument) {
    STORE(total_of, LOAD(total_of) + (long)argument);
    return NULL;
}

static void* work(void* argument) {
    for (int i = 0; i < 200000; ++i) INCREMENT(worked[(long)argument][0]);
    return NULL;
}

static void run(void* (*f)(void*), long number) {
    pthread_t thread;
    NEED_TRUE(pthread_create(&thread, NULL, f, (void*)number) == 0);
    pthread_join(thread, NULL);
}

int main(void) {
    for (long i = 0; i < THREADS; ++i) {
        if (i % EACH == 5) run(work, i / EACH);
        run(add, i);
    }
    return 0;
}
