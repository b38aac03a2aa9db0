// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread
// Locks in different orders. `order: NAME` marks the lines of the takes that make a cycle.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER,
                       gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static void take(pthread_mutex_t* lock) { pthread_mutex_lock(lock); }
static void give(pthread_mutex_t* lock) { pthread_mutex_unlock(lock); }
static void* work(void* argument) {
    const long t = (long)argument;
    (void)t;
#if CASE == 1  // two locks
    if (t == 0) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);  // order: ab
    } else {
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&a);  // order: ab
    }
    give(&a);
    give(&b);
#elif CASE == 2
    take(&a);
    take(&b);
    give(&b);
    give(&a);
#elif CASE == 3  // three locks
    pthread_mutex_t* const first = t == 0 ? &a : t == 1 ? &b : &c;
    pthread_mutex_t* const second = t == 0 ? &b : t == 1 ? &c : &a;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);  // order: abc
    give(second);
    give(first);
#elif CASE == 4  // a gate lets one come here at a time
    take(&gate);
    take(t ? &a : &b);
    take(t ? &b : &a);
    give(&a);
    give(&b);
    give(&gate);
#elif CASE == 5  // an attempt is no take
    take(t ? &a : &b);
    if (pthread_mutex_trylock(t ? &b : &a) == 0) give(t ? &b : &a);
    give(t ? &a : &b);
#elif CASE == 6  // a read-write lock and a mutex
    if (t == 0) {
        pthread_rwlock_wrlock(&rw);
        pthread_mutex_lock(&a);  // order: rwa
    } else {
        pthread_mutex_lock(&a);
        pthread_rwlock_wrlock(&rw);  // order: rwa
    }
    pthread_rwlock_unlock(&rw);
    give(&a);
#endif
    return argument;
}
int main(void) {
    pthread_t thread;
    for (long t = 0; t < 3; t++) {  // one after the other: they never meet
        pthread_create(&thread, NULL, work, (void*)t);
        pthread_join(thread, NULL);
    }
    puts("done");
    return 0;
}
