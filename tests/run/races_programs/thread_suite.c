// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread
// POSIX threads as textbooks and servers use them: pools, hand-over, phases, tables, objects' lives.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { N = 64, THREADS = 3 };
static int total, results[16], cells[N], ready, stopped;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t phase;
static sem_t full, empty_slots;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Atomic int published;
static atomic_flag spin = ATOMIC_FLAG_INIT;

struct job {
    int input, output, done;
    struct job* next;
};
static struct job* queue;
struct account {
    pthread_mutex_t lock;
    int balance;
} accounts[4];
struct counted {
    atomic_int users;
    int value;
};
static struct counted* object;
struct ring {
    _Atomic unsigned head, tail;
    int slots[8];
} ring;
struct pair {
    char first, second;
} bytes;
struct bits {
    unsigned low : 4, high : 4;
} fields;

static void make_key(void) { pthread_key_create(&key, free); }
static void put(struct job* made) {
    pthread_mutex_lock(&m);
    made->next = queue;
    queue = made;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
}
static struct job* take(void) {
    pthread_mutex_lock(&m);
    while (queue == NULL) pthread_cond_wait(&filled, &m);
    struct job* got = queue;
    queue = got->next;
    pthread_mutex_unlock(&m);
    return got;
}
static void transfer(int from, int to, int amount) {
    struct account *first = &accounts[from < to ? from : to], *second = &accounts[from < to ? to : from];
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    accounts[from].balance -= amount;  // race(4): balance
    accounts[to].balance += amount;    // race(4): balance
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}
static void release(struct counted* of) {
    if (atomic_fetch_sub(&of->users, 1) == 1) free(of);
}

static void* work(void* argument) {
    int t = (int)(long)argument;
#if CASE == 1  // jobs through a queue
    if (t == 0)
        for (int i = 0; i < 20; i++) {
            struct job* made = calloc(1, sizeof *made);
            made->input = i;
            put(made);
        }
    else
        for (int i = 0; i < 10; i++) {
            struct job* got = take();
            results[t] += got->input;
            free(got);
        }
#elif CASE == 2  // the producer changes a job that it has put in
    if (t == 0)
        for (int i = 0; i < 20; i++) {
            struct job* made = calloc(1, sizeof *made);
            put(made);
            made->input = i;  // race: input
        }
    else
        for (int i = 0; i < 10; i++) {
            struct job* got = take();
            results[t] += got->input;  // race: input
        }
#elif CASE == 3  // accounts, locks in one order
    for (int i = 0; i < 20; i++) transfer((t + i) % 4, (t + i + 1 + i % 3) % 4, i);
#elif CASE == 4  // and a sum without them
    if (t == 0)
        for (int i = 0; i < 4; i++) total += accounts[i].balance;  // race: balance
    else
        for (int i = 0; i < 20; i++) transfer((t + i) % 4, (t + i + 1) % 4, i);
#elif CASE == 5  // bounded buffer with semaphores and a mutex
    for (int i = 0; i < 10; i++)
        if (t != 1) {
            sem_wait(&empty_slots);
            pthread_mutex_lock(&m);
            cells[total++ % 8] = i;
            pthread_mutex_unlock(&m);
            sem_post(&full);
        } else {
            sem_wait(&full);
            pthread_mutex_lock(&m);
            results[t] += cells[results[9]++ % 8];
            pthread_mutex_unlock(&m);
            sem_post(&empty_slots);
        }
#elif CASE == 6  // phases
    for (int i = 0; i < 4; i++) {
        cells[t] = cells[t] + i;
        pthread_barrier_wait(&phase);
        results[t] += cells[(t + 1) % THREADS];
        pthread_barrier_wait(&phase);
    }
#elif CASE == 7  // one barrier too few
    for (int i = 0; i < 4; i++) {
        cells[t] = cells[t] + i;  // race: cells
        pthread_barrier_wait(&phase);
        results[t] += cells[(t + 1) % THREADS];  // race: cells
    }
#elif CASE == 8  // a table with readers and a writer
    for (int i = 0; i < 10; i++)
        if (t == 0) {
            pthread_rwlock_wrlock(&table_lock);
            cells[i] = i;
            pthread_rwlock_unlock(&table_lock);
        } else {
            pthread_rwlock_rdlock(&table_lock);
            results[t] += cells[i];
            pthread_rwlock_unlock(&table_lock);
        }
#elif CASE == 9  // a reader who counts
    pthread_rwlock_rdlock(&table_lock);
    results[0]++;  // race: results
    usleep(500);
    pthread_rwlock_unlock(&table_lock);
#elif CASE == 10  // values of each thread
    pthread_once(&once, make_key);
    int* mine = malloc(sizeof *mine);
    pthread_setspecific(key, mine);
    *mine = t;
    results[t] = *(int*)pthread_getspecific(key);
#elif CASE == 11  // a reference count
    results[t] = object->value;
    release(object);
#elif CASE == 12  // used after it was given back
    int* value = &object->value;
    release(object);
    results[t] = 1;
    if (t == 1) *value = 5;  // race: value
    if (t == 2) *value = 6;  // race: value
#elif CASE == 27  // a ring without locks, one producer, one consumer
    for (int i = 0; i < 20 && t < 2; i++)
        if (t == 0) {
            unsigned tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);
            while (tail - atomic_load_explicit(&ring.head, memory_order_acquire) == 8) usleep(1);
            ring.slots[tail % 8] = i;
            atomic_store_explicit(&ring.tail, tail + 1, memory_order_release);
        } else {
            unsigned head = atomic_load_explicit(&ring.head, memory_order_relaxed);
            while (atomic_load_explicit(&ring.tail, memory_order_acquire) == head) usleep(1);
            total += ring.slots[head % 8];
            atomic_store_explicit(&ring.head, head + 1, memory_order_release);
        }
#elif CASE == 14  // the slot is written after its number is published
    for (int i = 0; i < 20 && t < 2; i++)
        if (t == 0) {
            unsigned tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);
            while (tail - atomic_load_explicit(&ring.head, memory_order_acquire) == 8) usleep(1);
            atomic_store_explicit(&ring.tail, tail + 1, memory_order_release);
            ring.slots[tail % 8] = i;  // race: slots
        } else {
            unsigned head = atomic_load_explicit(&ring.head, memory_order_relaxed);
            while (atomic_load_explicit(&ring.tail, memory_order_acquire) == head) usleep(1);
            total += ring.slots[head % 8];  // race: slots
            atomic_store_explicit(&ring.head, head + 1, memory_order_release);
        }
#elif CASE == 15  // two bytes of one word
    if (t == 0) bytes.first = 1;
    if (t == 1) bytes.second = 2;
#elif CASE == 16  // two fields of bits in one byte
    if (t == 0) fields.low = 1;   // race: fields
    if (t == 1) fields.high = 2;  // race: fields
#elif CASE == 17  // double-checked with an atomic word
    if (!atomic_load_explicit(&published, memory_order_acquire)) {
        pthread_mutex_lock(&m);
        if (!published) {
            total = 42;
            atomic_store_explicit(&published, 1, memory_order_release);
        }
        pthread_mutex_unlock(&m);
    }
    results[t] = total;
#elif CASE == 18  // and with a plain one
    if (!ready) {  // race: ready
        pthread_mutex_lock(&m);
        if (!ready) {
            total = 42;  // race: total
            ready = 1;   // race: ready
        }
        pthread_mutex_unlock(&m);
    }
    results[t] = total;  // race: total
#elif CASE == 19  // a lock of an atomic flag
    for (int i = 0; i < 20; i++) {
        while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire)) usleep(1);
        total += i;
        atomic_flag_clear_explicit(&spin, memory_order_release);
    }
#elif CASE == 20  // a turn that goes round
    for (int i = 0; i < 5; i++) {
        while (atomic_load(&published) % THREADS != t) usleep(1);
        total += i;
        atomic_fetch_add(&published, 1);
    }
#elif CASE == 21  // trylock: who does not get it does something else
    for (int i = 0; i < 20; i++)
        if (pthread_mutex_trylock(&m) == 0) {
            total += i;
            pthread_mutex_unlock(&m);
        } else {
            results[t]++;
        }
#elif CASE == 22  // its result is not looked at
    for (int i = 0; i < 20; i++) {
        int got = pthread_mutex_trylock(&m);
        total += i;  // race: total
        usleep(20);
        if (got == 0) pthread_mutex_unlock(&m);
    }
#elif CASE == 23  // a wait without a loop around it, the value is stored without the lock
    if (t == 0) {
        usleep(2000);
        total = 3;  // race: total
        pthread_cond_broadcast(&filled);
    } else {
        pthread_mutex_lock(&m);
        while (total == 0) {  // race: total
            struct timespec soon = {0, 0};
            pthread_cond_timedwait(&filled, &m, &soon);
        }
        pthread_mutex_unlock(&m);
    }
#elif CASE == 24  // each thread its part, one adds all up after join
    for (int i = t; i < N; i += THREADS) cells[i] = i;
#elif CASE == 25  // parts that overlap by one
    for (int i = t * 20; i <= t * 20 + 20; i++) cells[i] += i;  // race: cells
#elif CASE == 26  // the argument is one variable for all
    results[0] = *(int*)argument;  // race: number
#elif CASE == 28  // a list, hand over hand
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&accounts[0].lock);
        for (int k = 0; k < 3; k++) {
            accounts[k].balance += i;
            pthread_mutex_lock(&accounts[k + 1].lock);
            pthread_mutex_unlock(&accounts[k].lock);
        }
        accounts[3].balance += i;
        pthread_mutex_unlock(&accounts[3].lock);
    }
#elif CASE == 29  // unlocked too early
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        total += i;
        pthread_mutex_unlock(&m);
        results[8] = i;  // race: last
    }
#elif CASE == 30  // a seqlock
    if (t == 0) {
        for (int i = 0; i < 5; i++) {
            atomic_fetch_add(&published, 1);
            atomic_store_explicit((_Atomic int*)&total, i, memory_order_relaxed);
            atomic_fetch_add(&published, 1);
        }
    } else {
        int before, value;
        do {
            before = atomic_load(&published);
            value = atomic_load_explicit((_Atomic int*)&total, memory_order_relaxed);
        } while (before % 2 || before != atomic_load(&published));
        results[t] = value;
    }
#endif
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int number = 0;
    for (int i = 0; i < 4; i++) pthread_mutex_init(&accounts[i].lock, NULL);
    pthread_barrier_init(&phase, NULL, THREADS);
    sem_init(&full, 0, 0);
    sem_init(&empty_slots, 0, 30);
    object = calloc(1, sizeof *object);
    object->users = CASE == 12 ? 9 : THREADS;
    for (int t = 0; t < THREADS; t++) {
#if CASE == 26
        number = t;  // race: number
        pthread_create(&threads[t], NULL, work, &number);
#else
        pthread_create(&threads[t], NULL, work, (void*)(long)t);
#endif
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int i = 0; i < N; i++) total += cells[i];
    printf("%d %d %d %d %d %d\n", total, results[0], results[8], accounts[2].balance, bytes.first, fields.low);
    return stopped + (number > N);
}
