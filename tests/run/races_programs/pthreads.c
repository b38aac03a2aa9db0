// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread
// POSIX threads: locks, condition variables, semaphores, barriers, once, joins, stacks and blocks that are handed on.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { TIMES = 300 };
static int counter, ready, box[8];
static char text[64];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static sem_t filled, empty;
static int pipes[2];
static __thread int own;
static void set_up(void) { counter = 7; }
struct Node { struct Node* next; int value; };
struct Node* list;

static void* work(void* argument) {
    long t = (long)argument;
#if CASE == 1
    for (int i = 0; i < TIMES; i++) counter++;  // race: counter
#elif CASE == 2
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&m);
        counter++;
        pthread_mutex_unlock(&m);
    }
#elif CASE == 3  // each takes another lock
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(t ? &m : &m2);
        counter++;  // race: counter
        pthread_mutex_unlock(t ? &m : &m2);
    }
#elif CASE == 4  // one forgets the lock
    if (t) pthread_mutex_lock(&m);
    for (int i = 0; i < TIMES; i++) counter++;  // race: counter
    if (t) pthread_mutex_unlock(&m);
#elif CASE == 5  // readers and writers
    if (t == 0) {
        pthread_rwlock_wrlock(&rw);
        counter = 5;
        pthread_rwlock_unlock(&rw);
    } else {
        pthread_rwlock_rdlock(&rw);
        box[t] = counter;
        pthread_rwlock_unlock(&rw);
    }
#elif CASE == 6  // a writer under the readers' lock
    pthread_rwlock_rdlock(&rw);
    for (int i = 0; i < TIMES; i++) counter++;  // race: counter
    usleep(20000);
    pthread_rwlock_unlock(&rw);
#elif CASE == 7  // condition variable
    if (t == 0) {
        pthread_mutex_lock(&m);
        counter = 3;
        ready = 1;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&m);
    } else {
        pthread_mutex_lock(&m);
        while (!ready) pthread_cond_wait(&changed, &m);
        pthread_mutex_unlock(&m);
        box[t] = counter;
    }
#elif CASE == 8  // the flag is looked at without the lock
    if (t == 0) {
        counter = 3;  // race: counter
        ready = 1;    // race: ready
    } else if (ready) {      // race: ready
        box[t] = counter;    // race: counter maybe
    }
#elif CASE == 9  // semaphores
    for (int i = 0; i < TIMES && t < 2; i++)
        if (t == 0) {
            sem_wait(&empty);
            counter = i;
            sem_post(&filled);
        } else {
            sem_wait(&filled);
            box[1] += counter;
            sem_post(&empty);
        }
#elif CASE == 10  // barrier
    box[t] = (int)t;
    pthread_barrier_wait(&barrier);
    int seen = box[(t + 1) % 4];
    pthread_barrier_wait(&barrier);
    box[t] = seen;
#elif CASE == 11  // one barrier too few
    box[t] = (int)t;  // race: box
    pthread_barrier_wait(&barrier);
    box[t] = box[(t + 1) % 4];  // race: box
#elif CASE == 12
    pthread_once(&once, set_up);
    box[t] = counter;
#elif CASE == 13
    for (int i = 0; i < TIMES; i++) {
        pthread_spin_lock(&spin);
        counter++;
        pthread_spin_unlock(&spin);
    }
#elif CASE == 14  // a pipe
    if (t == 0) {
        counter = 9;
        if (write(pipes[1], "x", 1) != 1) abort();
    } else if (t == 1) {
        char c;
        if (read(pipes[0], &c, 1) != 1) abort();
        box[1] = counter;
    }
#elif CASE == 15  // thread-local
    own += (int)t;
    box[t] = own;
#elif CASE == 16  // memcpy of what another one changes
    if (t == 0) memset(text, 'a', 32);               // race: text
    if (t == 1) memcpy(text + 16, "0123456789", 10);  // race: text
#elif CASE == 17  // a list under a lock
    struct Node* node = malloc(sizeof *node);
    node->value = (int)t;
    pthread_mutex_lock(&m);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&m);
#elif CASE == 18  // a list without one
    struct Node* node = malloc(sizeof *node);
    node->value = (int)t;
    node->next = list;  // race: list
    list = node;        // race: list
#elif CASE == 19  // trylock
    for (int i = 0; i < TIMES; i++)
        if (pthread_mutex_trylock(&m) == 0) {
            counter++;
            pthread_mutex_unlock(&m);
        }
#elif CASE == 20  // a bit field
    static struct { unsigned a : 4, b : 4; } bits;
    if (t == 0) bits.a = 3;  // race: bits
    if (t == 1) bits.b = 5;  // race: bits
#elif CASE == 21  // neighbours in one line
    for (int i = 0; i < TIMES; i++) box[t]++;
#elif CASE == 22  // a block that is handed on under a lock
    pthread_mutex_lock(&m);
    if (list == NULL) {
        list = malloc(sizeof *list);
        list->value = 1;
        pthread_mutex_unlock(&m);
    } else {
        struct Node* got = list;
        list = NULL;
        pthread_mutex_unlock(&m);
        got->value++;
        free(got);
    }
#elif CASE == 23  // freed while another one uses it
    if (t == 0) list->value = 3;  // race: list_block
    if (t == 1) counter = list->value;  // race: list_block
#elif CASE == 24  // a flag of C11
    static _Atomic int go;
    if (t == 0) {
        counter = 5;
        atomic_store_explicit(&go, 1, memory_order_release);
    } else {
        while (!atomic_load_explicit(&go, memory_order_acquire)) {}
        box[t] = counter;
    }
#elif CASE == 25  // a volatile flag that is polled with a yield
    static volatile int go;
    if (t == 0) {
        counter = 5;
        go = 1;
    } else {
        while (!go) sched_yield();
        box[t] = counter;
    }
#elif CASE == 26  // a lock of the program's own
    static int lock;
    for (int i = 0; i < TIMES; i++) {
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
        counter++;
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    }
#elif CASE == 27  // relaxed counters and a plain one
    static long relaxed;
    for (int i = 0; i < box[t]; i++) __atomic_fetch_add(&relaxed, 1, __ATOMIC_RELAXED);
    counter = (int)t;  // race: counter
#elif CASE == 28  // the unlock comes too early
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        counter++;  // race: counter
    }
#elif CASE == 29  // tickets
    static _Atomic int next, serving;
    for (int i = 0; i < TIMES; i++) {
        int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        while (atomic_load_explicit(&serving, memory_order_acquire) != ticket) sched_yield();
        counter++;
        atomic_store_explicit(&serving, ticket + 1, memory_order_release);
    }
#elif CASE == 30  // recursive mutex
    static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&again);
        pthread_mutex_lock(&again);
        counter++;
        pthread_mutex_unlock(&again);
        counter++;
        pthread_mutex_unlock(&again);
    }
#elif CASE == 31  // freed behind all uses, by the order of joins
    box[t] = list->value;
#elif CASE == 32  // freed by the last one that gives it back
    static int users = 4;
    box[t] = list->value;
    if (__atomic_sub_fetch(&users, 1, __ATOMIC_ACQ_REL) == 0) free(list);
#elif CASE == 33  // a plain sum beside atomic ones
    for (int i = 0; i < TIMES; i++)
        if (t == 0)
            counter++;  // race: counter maybe
        else
            __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);  // race: counter maybe
#elif CASE == 34  // atomic sums that others look at
    for (int i = 0; i < TIMES; i++)
        if (t == 0)
            box[0] = __atomic_load_n(&counter, __ATOMIC_RELAXED);
        else
            __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
#elif CASE == 35  // a test in a loop is no wait
    int* best = &counter;
    for (int i = 0; i < TIMES; i++) {
        __asm__ volatile("" : "+r"(best) : : "memory");
        if (box[t] + i > *best)  // race: counter
            *best = i;           // race: counter
    }
#endif
    return argument;
}

int main(void) {
    pthread_t threads[4];
    pthread_barrier_init(&barrier, NULL, 4);
    pthread_spin_init(&spin, 0);
    sem_init(&filled, 0, 0);
    sem_init(&empty, 0, 1);
    if (pipe(pipes) != 0) return 1;
    if (CASE == 23 || CASE == 31 || CASE == 32) list = calloc((size_t)counter + 1, sizeof *list);
    if (CASE == 27)
        for (int t = 0; t < 4; t++) box[t] = 1 + counter;
    for (long t = 0; t < 4; t++) pthread_create(&threads[t], NULL, work, (void*)t);
    for (int t = 0; t < 4; t++) pthread_join(threads[t], NULL);
    printf("%d %d %d %s\n", counter * 0, ready, box[1] * 0, text[0] ? "text" : "");
    (void)own; (void)list;
    return 0;
}
