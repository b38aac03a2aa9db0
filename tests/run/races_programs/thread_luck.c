// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread
// What a lock puts in order in one run only, and what it orders in all.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 16 };
typedef struct Node {
    struct Node* next;
    int value;
} Node;
static int x, y, count, other, done, flags[4], results[4];
static Node* list;
static int* block;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t told;
static void (*volatile step)(void);
static void lock(void) { pthread_mutex_lock(&m); }
static void unlock(void) { pthread_mutex_unlock(&m); }
static int number(void) {  // of those who have come
    lock();
    int n = ++count;
    unlock();
    return n;
}
static void wait_for(pthread_t* threads, int n) {
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
}

static void* work(void* argument) {
    long t = (long)argument;
#if CASE == 1  // both count, before and after
    if (t == 0) x = 1;  // race: x
    lock();
    count++;
    unlock();
    if (t == 1) x = 2;  // race: x
#elif CASE == 2  // the lock guards two things
    if (t == 0) x = 1;  // race: x
    lock();
    if (t == 0) y = 1;
    if (t == 1) other = 1;
    unlock();
    if (t == 1) results[1] = x;  // race: x
#elif CASE == 3  // both set
    if (t == 0) x = 1;  // race: x
    lock();
    done = 1;
    unlock();
    if (t == 1) x = 2;  // race: x
#elif CASE == 4  // what is set is looked at
    if (t == 0) x = 1;
    lock();
    int seen = done;
    if (t == 0) done = 1;
    unlock();
    if (t == 1 && seen) x = 2;
#elif CASE == 5  // the count tells who is last
    results[t] = 1;
    if (number() == 3) x = results[0] + results[1] + results[2];
#elif CASE == 6  // it counts before
    int n = number();
    results[t] = 1;  // race: results
    if (n == 3) x = results[0] + results[1] + results[2];  // race: results
#elif CASE == 7  // forgotten once, among many
    for (int i = 0; i < N; i++) {
        if (t != 1 || i != 5) lock();
        x++;  // race: x
        if (t != 1 || i != 5) unlock();
    }
#elif CASE == 8  // looked at without the lock, at the end
    for (int i = 0; i < 4; i++) {
        lock();
        x += i;  // race: x
        unlock();
    }
    results[t] = x;  // race: x
#elif CASE == 9  // a list whose nodes are filled before
    Node* made = malloc(sizeof *made);
    made->value = (int)t;
    lock();
    made->next = list;
    list = made;
    unlock();
    lock();
    Node* got = list;
    if (got) list = got->next;
    unlock();
    if (got) {
        got->value += 5;
        results[t] = got->value;
        free(got);
    }
#elif CASE == 10  // filled behind
    Node* made = malloc(sizeof *made);
    lock();
    made->next = list;
    list = made;
    unlock();
    made->value = (int)t;  // race: value maybe
    lock();
    int sum = 0;
    for (Node* at = list; at; at = at->next) sum += at->value;  // race: value
    unlock();
    results[t] = sum;
#elif CASE == 11  // the lock is held while others begin: they come later
    lock();
    unlock();
    results[t] = x;
#elif CASE == 12  // the lock is taken after they have begun
    lock();
    unlock();
    results[t] = x;  // race: x
#elif CASE == 13  // one is told while the lock is held
    if (t == 0) {
        lock();
        sem_post(&told);
        x = 1;
        unlock();
    } else if (t == 1) {
        sem_wait(&told);
        lock();
        unlock();
        x = 2;
    }
#elif CASE == 14  // one is told, and then the lock is taken
    if (t == 0) {
        sem_post(&told);
        lock();
        x = 1;  // race: x
        unlock();
    } else if (t == 1) {
        sem_wait(&told);
        lock();
        unlock();
        x = 2;  // race: x
    }
#elif CASE == 15  // two locks: the inner one orders
    if (t == 0) x = 1;
    lock();
    pthread_mutex_lock(&m2);
    int was = flags[0];
    flags[0] = 1;
    pthread_mutex_unlock(&m2);
    unlock();
    if (t == 1 && was) x = 2;
#elif CASE == 16  // each its own lock
    pthread_mutex_t* mine = t == 0 ? &m : &m2;
    pthread_mutex_lock(mine);
    x++;  // race: x
    pthread_mutex_unlock(mine);
#elif CASE == 17  // two locks, one of them in common
    lock();
    if (t == 1) pthread_mutex_lock(&m2);
    x++;
    if (t == 1) pthread_mutex_unlock(&m2);
    unlock();
    results[t] = 1;
#elif CASE == 18  // a condition whose waiter comes late
    if (t == 0) {
        x = 1;
        lock();
        done = 1;
        pthread_cond_signal(&changed);
        unlock();
    } else if (t == 1) {
        lock();
        while (!done) pthread_cond_wait(&changed, &m);
        unlock();
        x = 2;
    }
#elif CASE == 19  // a block that is closed before it goes
    if (t == 0) {
        for (int i = 0; i < 3; i++) {
            lock();
            if (!done) block[0]++;
            unlock();
        }
    } else if (t == 1) {
        lock();
        done = 1;
        unlock();
        free(block);
    }
#elif CASE == 20  // it goes while others may look
    if (t == 0) {
        for (int i = 0; i < 3; i++) {
            lock();
            if (!done) {
                unlock();
                block[0]++;  // race: block maybe
                lock();
            }
            unlock();
        }
    } else if (t == 1) {
        lock();
        done = 1;
        unlock();
        block[0] = 0;  // race: block
    }
#elif CASE == 21  // a spin lock of the library
    if (t == 0) x = 1;  // race: x
    pthread_spin_lock(&spin);
    count++;
    pthread_spin_unlock(&spin);
    if (t == 1) x = 2;  // race: x
#elif CASE == 22  // readers and writers
    if (t == 0) {
        pthread_rwlock_wrlock(&rw);
        x = 1;
        pthread_rwlock_unlock(&rw);
    } else {
        pthread_rwlock_rdlock(&rw);
        results[t] = x;
        pthread_rwlock_unlock(&rw);
    }
#elif CASE == 23  // an object that is made once, under the lock
    lock();
    if (!block) {
        block = malloc(4 * sizeof *block);
        block[0] = 7;
    }
    unlock();
    results[t] = block[0];
#elif CASE == 24  // a mutex as a signal: another thread gives it back
    if (t == 0) {
        x = 1;
        unlock();
    } else if (t == 1) {
        lock();
        x = 2;
    }
#elif CASE == 25  // the result of the sum decides, whatever lies between
    lock();
    int n = count;
    count = n + 1;
    unlock();
    if (n == 0) x = 1;  // the first one
    lock();
    done++;
    int all = done;
    unlock();
    if (all == 3) results[0] = x;
#elif CASE == 26  // each takes its turn in a table under the lock
    lock();
    int place = count++;
    unlock();
    flags[place] = (int)t;
#elif CASE == 27  // the place is loaded again; clang gives the load no line of its own
    pthread_mutex_lock(&m);
    count++;  // race: count
    pthread_mutex_unlock(&m);  // race: count
    int mine = *(volatile int*)&count;  // race: count
    flags[mine & 3] = (int)t;
#elif CASE == 28  // floats are summed
    static double sum;
    if (t == 2) x = 1;  // race: x
    lock();
    sum += 0.5;
    unlock();
    if (t == 0) x = 2;  // race: x
#elif CASE == 29  // an empty section
    if (t == 0) x = 1;  // race: x
    lock();
    unlock();
    if (t == 1) x = 2;  // race: x
#elif CASE == 30  // stop, as all others see it
    for (;;) {
        lock();
        int stop = done;
        unlock();
        if (stop) break;
        usleep(1000);
    }
    results[t] = x;
#elif CASE == 31  // the last one who leaves frees
    results[t] += block[t];
    lock();
    int left = --other;
    unlock();
    if (left == 0) free(block);
#elif CASE == 32  // who leaves first frees
    results[t] += block[t];  // race: block
    lock();
    int left = --other;
    unlock();
    if (left == 2) free(block);  // race: block
#elif CASE == 33  // attempts, and others who wait
    if (t == 0) {
        while (pthread_rwlock_trywrlock(&rw)) usleep(100);
    } else {
        pthread_rwlock_wrlock(&rw);
    }
    x++;
    pthread_rwlock_unlock(&rw);
    if (t == 0)
        while (pthread_spin_trylock(&spin)) usleep(100);
    else
        pthread_spin_lock(&spin);
    y++;
    pthread_spin_unlock(&spin);
#elif CASE == 34  // attempts whose time may be over
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 9;
    if (t != 1) lock();
    if (t == 1) pthread_mutex_timedlock(&m, &soon);
    x++;
    unlock();
#elif CASE == 35  // many locks at once
    static pthread_mutex_t many[6];
    for (int i = t == 1 ? 5 : 0; i < 6; i++) pthread_mutex_lock(&many[i]);
    x++;
    for (int i = t == 1 ? 5 : 0; i < 6; i++) pthread_mutex_unlock(&many[i]);
#endif
    KEEP;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    sem_init(&told, 0, 0);
    pthread_spin_init(&spin, 0);
    block = NULL;
    if (CASE != 23) block = calloc(4, sizeof *block);
    other = 3;
#if CASE == 24
    lock();
#endif
#if CASE == 11
    lock();
#endif
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void*)i);
#if CASE == 11
    x = 1;
    unlock();
#elif CASE == 12
    lock();
    x = 1;  // race: x
    unlock();
#elif CASE == 30
    x = 3;
    lock();
    done = 1;
    unlock();
#endif
    wait_for(threads, 3);
    printf("%d %d %d\n", x + y + count + other + done, results[0] + results[1] + results[2], flags[0] + (step == NULL));
    return 0;
}
