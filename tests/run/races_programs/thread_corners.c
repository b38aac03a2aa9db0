// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread
// Corners of POSIX threads: named semaphores, queues of messages, timed locks, owners that die, futexes, once, signals.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static int data[64], value, total, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t* named;
static mqd_t queue;
static int sysv, word;
static pthread_t first_thread;
static void make(void) {
    value = 9;  // race(12): value
}
static struct timespec later(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 5;
    return t;
}
static void post(int n) {
    struct sembuf by = {0, (short)n, 0};
    semop(sysv, &by, 1);
}
static void* work(void* of) {
    long t = (long)of;
#if CASE == 1  // a named semaphore
    if (t == 0) {
        value = 1;
        sem_post(named);
    } else {
        sem_wait(named);
        seen = value;
    }
#elif CASE == 2  // posted too early
    if (t == 0) {
        sem_post(named);
        value = 1;  // race: value
    } else {
        sem_wait(named);
        seen = value;  // race: value
    }
#elif CASE == 3  // a queue of messages
    char text[64] = "go";
    if (t == 0) {
        value = 1;
        mq_send(queue, text, 3, 0);
    } else {
        mq_receive(queue, text, sizeof text, NULL);
        seen = value;
    }
#elif CASE == 4  // semaphores of System V
    if (t == 0) {
        value = 1;
        post(1);
    } else {
        post(-1);
        seen = value;
    }
#elif CASE == 5  // locks with a time
    struct timespec until = later();
    if (pthread_mutex_timedlock(&lock, &until) == 0) {
        total++;
        pthread_mutex_unlock(&lock);
    }
    if (pthread_rwlock_timedwrlock(&rw, &until) == 0) {
        value++;
        pthread_rwlock_unlock(&rw);
    }
#elif CASE == 6  // a futex by hand
    if (t == 0) {
        value = 1;
        __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    } else {
        while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
        seen = value;
    }
#elif CASE == 7  // the value is made once
    pthread_once(&once, make);
    data[t] = value;
#elif CASE == 8  // and changed behind it
    pthread_once(&once, make);
    data[t] = value;              // race: value
    if (t == 1) value = data[t] + 1;  // race: value
#elif CASE == 9  // who is first at the barrier does not matter
    static pthread_barrier_t barrier;
    static int made = 0;
    pthread_mutex_lock(&lock);
    if (!made) pthread_barrier_init(&barrier, NULL, 3);
    made = 1;
    pthread_mutex_unlock(&lock);
    data[t] = (int)t;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) total = data[0] + data[1] + data[2];
#elif CASE == 10  // the others use the sum at once
    static pthread_barrier_t barrier;
    static int made = 0;
    pthread_mutex_lock(&lock);
    if (!made) pthread_barrier_init(&barrier, NULL, 3);
    made = 1;
    pthread_mutex_unlock(&lock);
    data[t] = (int)t;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) total = data[0] + data[1] + data[2];  // race: total
    data[t + 10] = total;                                                                                       // race: total
#elif CASE == 11  // a thread that was made by a thread
    if (t == 0) {
        pthread_t child;
        value = 3;
        pthread_create(&child, NULL, (void* (*)(void*))(void*)make, NULL);
        pthread_join(child, NULL);
        total = value;
    }
#elif CASE == 12  // it is not joined before its value is used
    if (t == 0) {
        pthread_t child;
        pthread_create(&child, NULL, (void* (*)(void*))(void*)make, NULL);
        total = value;  // race(12): value
        pthread_join(child, NULL);
    }
#elif CASE == 13  // all wait until the last one has counted
    pthread_mutex_lock(&lock);
    data[t] = 1;
    if (++total == 3) pthread_cond_broadcast(&ready);
    while (total < 3) pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
    seen = data[t];                               // race: seen
    for (int i = 0; i < 3; i++) value = data[i];  // race: value
#elif CASE == 14  // a lock whose holder has ended
    static pthread_mutex_t robust;
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    (void)robust;
    (void)made;
    if (pthread_mutex_lock(&other) == EOWNERDEAD) pthread_mutex_consistent(&other);
    total++;
    if (t != 0) pthread_mutex_unlock(&other);
#elif CASE == 15  // parts of a line of text
    static char text[64];
    memset(text + t * 8, 'a' + (int)t, 8);
#elif CASE == 16  // that are one byte too long, by their end
    static char text[64];
    snprintf(text + t * 8, 9, "%08d", (int)t);  // race: text
#elif CASE == 17  // hand over hand along a list of locks
    static pthread_mutex_t locks[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};
    pthread_mutex_lock(&locks[0]);
    for (int i = 0; i < 4; i++) {
        data[i] += (int)t;
        if (i < 3) pthread_mutex_lock(&locks[i + 1]);
        pthread_mutex_unlock(&locks[i]);
    }
#elif CASE == 18  // the lock before is let go too early
    static pthread_mutex_t locks[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&locks[(i + t) % 3]);
        data[i] += (int)t;  // race: data maybe
        pthread_mutex_unlock(&locks[(i + t) % 3]);
    }
#endif
    return NULL;
}
int main(void) {
    pthread_t threads[3];
    first_thread = pthread_self();
    char name[64];
    snprintf(name, sizeof name, "/memspy%d", (int)getpid());
#if CASE == 1 || CASE == 2
    named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    sem_unlink(name);
    int n = 2;
#elif CASE == 3
    struct mq_attr about = {0, 4, 64, 0, {0}};
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &about);
    mq_unlink(name);
    int n = 2;
#elif CASE == 4
    sysv = semget(IPC_PRIVATE, 1, 0600);
    int n = 2;
#elif CASE == 6
    int n = 2;
#else
    int n = 3;
#endif
#if CASE == 14
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&other, &robust);
#endif
    for (long t = 0; t < n; t++) pthread_create(&threads[t], NULL, work, (void*)t);
    for (int t = 0; t < n; t++) pthread_join(threads[t], NULL);
#if CASE == 4
    semctl(sysv, 0, IPC_RMID);
#endif
    printf("%d %d %d %d\n", data[0], value, total, seen);
    return 0;
}
