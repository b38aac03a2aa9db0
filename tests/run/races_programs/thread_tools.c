// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread
// POSIX and C threads' tools one by one, each in a whole program: correct, and with the race (RACY).
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
// Compilers and levels are chosen by number: each has races, and each correct programs.
#define RACY (CASE % 8 == 2 || CASE % 8 == 3 || CASE % 8 == 5 || CASE % 8 == 0)

#if CASE == 1 || CASE == 2
// a table under a lock for readers; one writes with the readers' side
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[8], sums[3];
static void* reader(void* arg) {
    int me = *(int*)arg;
    for (int round = 0; round < 5; ++round) {
        pthread_rwlock_rdlock(&lock);
        for (int i = 0; i < 8; ++i) sums[me] += table[i];  // race(2): table
        if (RACY) table[7] = round;  // race(2): table
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}
static void* writer(void* arg) {
    for (int i = 0; i < 8; ++i) {
        pthread_rwlock_wrlock(&lock);
        table[i] = i * *(int*)arg;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}
int main(void) {
    pthread_t all[3];
    int numbers[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i) pthread_create(&all[i], NULL, i < 2 ? reader : writer, &numbers[i]);
    for (int i = 0; i < 3; ++i) pthread_join(all[i], NULL);
    printf("%d\n", sums[0]);
}
#elif CASE == 3 || CASE == 4
// a thread that is cancelled, and whose handler cleans up
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cleaned, steps;
static void clean(void* arg) {
    cleaned = *(int*)arg;  // race(3): cleaned
}
static void* worker(void* arg) {
    int code = 7;
    pthread_cleanup_push(clean, &code);
    for (;;) {
        pthread_mutex_lock(&lock);
        ++steps;
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
    pthread_cleanup_pop(0);
    return arg;
}
int main(void) {
    pthread_t one;
    pthread_create(&one, NULL, worker, NULL);
    usleep(5000);
    pthread_cancel(one);
#if RACY
    printf("%d\n", cleaned);  // race(3): cleaned
    pthread_join(one, NULL);
#else
    pthread_join(one, NULL);
    printf("%d\n", cleaned);
#endif
    return steps < 0;
}
#elif CASE == 5 || CASE == 6
// phases by a barrier; one array for all of them
enum { T = 3 };
static pthread_barrier_t phase;
static int now[T], next[T];
static void* worker(void* arg) {
    int me = (int)(long)arg;
    for (int step = 0; step < 4; ++step) {
        int left = now[(me + T - 1) % T];      // race(5): now
        if (!RACY) pthread_barrier_wait(&phase);
        now[me] = left + 1;                    // race(5): now
        pthread_barrier_wait(&phase);
    }
    next[me] = now[me];
    return NULL;
}
int main(void) {
    pthread_t all[T];
    pthread_barrier_init(&phase, NULL, T);
    for (long i = 0; i < T; ++i) pthread_create(&all[i], NULL, worker, (void*)i);
    for (int i = 0; i < T; ++i) pthread_join(all[i], NULL);
    printf("%d\n", next[1]);
}
#elif CASE == 7 || CASE == 8
// data through a pipe's end, and some that goes beside it
static int ends[2];
static struct {
    int length, colour;
} order;
static void* consumer(void* arg) {
    char go;
    if (read(ends[0], &go, 1) == 1) {
        int length = order.length;
        int colour = order.colour;  // race(8): colour
        printf("%d %d\n", length, colour);
    }
    return arg;
}
int main(void) {
    pthread_t one;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    pthread_create(&one, NULL, consumer, NULL);
    order.length = 12;
    if (!RACY) order.colour = 4;
    if (write(ends[1], "x", 1) != 1) return 1;
    if (RACY) order.colour = 4;  // race(8): colour
    pthread_join(one, NULL);
}
#elif CASE == 9 || CASE == 10
// destructors of thread-specific data, which add to a sum
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long freed;
static void destroy(void* data) {
    if (!RACY) pthread_mutex_lock(&lock);
    freed += *(long*)data;  // race(10): freed
    if (!RACY) pthread_mutex_unlock(&lock);
    free(data);
}
static void* worker(void* arg) {
    long* mine = malloc(sizeof *mine);
    *mine = (long)arg;
    pthread_setspecific(key, mine);
    return NULL;
}
int main(void) {
    pthread_t all[3];
    pthread_key_create(&key, destroy);
    for (long i = 0; i < 3; ++i) pthread_create(&all[i], NULL, worker, (void*)i);
    for (int i = 0; i < 3; ++i) pthread_join(all[i], NULL);
    printf("%ld\n", freed);
}
#elif CASE == 11 || CASE == 12
// a wait with a time limit; who gave up goes on without the lock's word
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, value;
static void* maker(void* arg) {
    if (RACY) usleep(60000);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    value = 3;  // race(11): value
    if (!RACY) {
        pthread_mutex_lock(&lock);
        ready = 2;
        pthread_mutex_unlock(&lock);
    }
    pthread_cond_signal(&changed);
    return arg;
}
int main(void) {
    pthread_t one;
    struct timespec until;
    pthread_create(&one, NULL, maker, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += RACY ? 20000000 : 0;
    until.tv_sec += RACY ? 0 : 20;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&lock);
    while (ready != 2 && pthread_cond_timedwait(&changed, &lock, &until) != ETIMEDOUT) {
    }
    pthread_mutex_unlock(&lock);
    int got = value;  // race(11): value
    pthread_join(one, NULL);
    printf("%d\n", got);
}
#elif CASE == 13 || CASE == 14
// a spin lock around both sides, or around one
static pthread_spinlock_t spin;
static unsigned long packets, bytes;
static void* receive(void* arg) {
    for (int i = 0; i < 20; ++i) {
        pthread_spin_lock(&spin);
        packets++;           // race(13): packets
        bytes += 64 + i % 3; // race(13): bytes
        pthread_spin_unlock(&spin);
    }
    return arg;
}
int main(void) {
    pthread_t one, two;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&one, NULL, receive, NULL);
    pthread_create(&two, NULL, receive, NULL);
    if (!RACY) pthread_spin_lock(&spin);
    unsigned long p = packets;  // race(13): packets
    unsigned long b = bytes;    // race(13): bytes
    if (!RACY) pthread_spin_unlock(&spin);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%lu %lu\n", p, b);
}
#elif CASE == 15 || CASE == 16
// arguments on the creator's stack: one for each thread, or one for all
struct args {
    int id, base;
};
static int out[4];
static void* run(void* p) {
    struct args* a = p;
    int id = a->id;  // race(16): id
    out[id & 3] = a->base;  // race(16): out maybe
    return NULL;
}
int main(void) {
    pthread_t all[4];
    struct args each[4] = {{0, 5}, {0, 5}, {0, 5}, {0, 5}};
    for (int i = 0; i < 4; ++i) {
        struct args* a = &each[RACY ? 0 : i];
        a->id = i;  // race(16): id
        pthread_create(&all[i], NULL, run, a);
    }
    for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
    printf("%d\n", out[0]);
}
#elif CASE == 17 || CASE == 18
// C's threads: a mutex, a condition, and what is done once
static mtx_t lock;
static cnd_t more;
static once_flag once = ONCE_FLAG_INIT;
static int queue[4], n, base;
static void init(void) { base = 100; }
static int producer(void* arg) {
    call_once(&once, init);
    for (int i = 0; i < 4; ++i) {
        if (!RACY) mtx_lock(&lock);
        queue[i] = base + i;  // race(18): queue maybe
        if (RACY) mtx_lock(&lock);
        n = i + (RACY ? 2 : 1);
        cnd_signal(&more);
        mtx_unlock(&lock);
    }
    return 0;
}
int main(void) {
    thrd_t one;
    int sum = 0;
    mtx_init(&lock, mtx_plain);
    cnd_init(&more);
    thrd_create(&one, producer, NULL);
    for (int i = 0; i < 4; ++i) {
        mtx_lock(&lock);
        while (n <= i) cnd_wait(&more, &lock);
        mtx_unlock(&lock);
        sum += queue[i];  // race(18): queue maybe
    }
    call_once(&once, init);
    thrd_join(one, NULL);
    printf("%d %d\n", sum, base);
}
#elif CASE == 19 || CASE == 20
// C's atomics with an order: a flag that releases, and one that does not
static atomic_int stage;
static _Alignas(64) int data[4];
static void* stage_one(void* arg) {
    for (int i = 0; i < 4; ++i) data[i] = i + 1;  // race(19): data maybe
    atomic_store_explicit(&stage, 1, memory_order_release);
    return arg;
}
static void* stage_two(void* arg) {
    while (atomic_load_explicit(&stage, memory_order_acquire) < (RACY ? 0 : 1)) sched_yield();
    for (int i = 0; i < 4; ++i) data[i] *= 10;  // race(19): data maybe
    return arg;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, stage_one, NULL);
    pthread_create(&two, NULL, stage_two, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", data[3]);
}
#elif CASE == 21 || CASE == 22
// a mutex whose owner dies with it
static pthread_mutex_t lock;
static int journal;
static void* dies(void* arg) {
    pthread_mutex_lock(&lock);
    journal = 1;  // race(21): journal
    return arg;
}
int main(void) {
    pthread_mutexattr_t robust;
    pthread_t one;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    pthread_create(&one, NULL, dies, NULL);
    if (RACY) {
        usleep(20000);
        printf("%d\n", journal);  // race(21): journal
    } else {
        int seen = 0;
        while (!seen) {
            if (pthread_mutex_lock(&lock) == EOWNERDEAD) pthread_mutex_consistent(&lock);
            seen = journal;
            pthread_mutex_unlock(&lock);
        }
        printf("%d\n", seen);
    }
    pthread_join(one, NULL);
}
#elif CASE == 23 || CASE == 24
// semaphores that let two threads take turns, one of them posted too early
static sem_t ping, pong;
static int ball;
static void* player(void* arg) {
    for (int i = 0; i < 4; ++i) {
        sem_wait(&ping);
        ball = ball + 1;  // race(24): ball
        sem_post(&pong);
    }
    return arg;
}
int main(void) {
    pthread_t one;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&one, NULL, player, NULL);
    for (int i = 0; i < 4; ++i) {
        if (RACY) sem_post(&ping);
        ball = ball * 2;  // race(24): ball
        if (!RACY) sem_post(&ping);
        sem_wait(&pong);
    }
    pthread_join(one, NULL);
    printf("%d\n", ball);
}
#elif CASE == 25 || CASE == 26
// signals that one thread waits for and others send, and a word beside
static sigset_t set;
static int detail;
static void* listener(void* arg) {
    int which;
    sigwait(&set, &which);
    *(int*)arg = which;
    return arg;
}
static void* worker(void* arg) {
    int* box = arg;
    *box += 1;     // race(26): box
    detail = *box; // race(26): box
    return NULL;
}
int main(void) {
    pthread_t one, two, three;
    int caught = 0, boxes[2] = {0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&one, NULL, listener, &caught);
    pthread_create(&two, NULL, worker, &boxes[0]);
    if (!RACY) pthread_join(two, NULL);
    pthread_create(&three, NULL, worker, &boxes[RACY ? 0 : 1]);
    pthread_kill(one, SIGUSR1);
    pthread_join(one, NULL);
    if (RACY) pthread_join(two, NULL);
    pthread_join(three, NULL);
    printf("%d %d\n", caught, detail);
}
#elif CASE == 27 || CASE == 28
// a handler of a signal that sets a flag, which a thread looks at
static volatile sig_atomic_t stop;
static long rounds, shown;
static void on_signal(int number) { stop = number; }
static void* worker(void* arg) {
    while (!stop) {
        rounds++;  // race(27): rounds
        usleep(500);
    }
    return arg;
}
int main(void) {
    pthread_t one;
    signal(SIGUSR2, on_signal);
    pthread_create(&one, NULL, worker, NULL);
    usleep(5000);
    if (RACY) shown = rounds;  // race(27): rounds
    pthread_kill(one, SIGUSR2);
    pthread_join(one, NULL);
    printf("%ld %ld\n", rounds, shown);
}
#elif CASE == 29 || CASE == 30
// a try at a lock, whose failure is looked at or not
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void* worker(void* arg) {
    for (int i = 0; i < 30; ++i) {
        if (pthread_mutex_trylock(&lock) == 0) {
            shared++;  // race(29): shared
            usleep(100);
            pthread_mutex_unlock(&lock);
        } else if (RACY) {
            shared--;  // race(29): shared
        }
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", shared);
}
#elif CASE == 31 || CASE == 32
// a counted object: who drops the last reference frees it; one reads after its drop
struct object {
    atomic_int users;
    int payload;
};
static void* user(void* arg) {
    struct object* o = arg;
    int got = o->payload;
    if (atomic_fetch_sub_explicit(&o->users, 1, memory_order_acq_rel) == 1) {
        o->payload = -1;  // race(32): payload
    } else if (RACY) {
        got += o->payload;  // race(32): payload
    }
    return (void*)(long)got;
}
int main(void) {
    pthread_t all[3];
    struct object* o = malloc(sizeof *o);
    atomic_init(&o->users, 3);
    o->payload = 4;
    for (int i = 0; i < 3; ++i) pthread_create(&all[i], NULL, user, o);
    for (int i = 0; i < 3; ++i) pthread_join(all[i], NULL);
    free(o);
}
#elif CASE == 33 || CASE == 34
// text that is made in a buffer of each, or in one of all
static char common[64];
static size_t lengths[3];
static const char* describe(int n, char* to) {
    strcpy(to, "number ");      // race(34): text
    to[6] = '0' + n;            // race(34): text
    return to;
}
static void* worker(void* arg) {
    char own[64];
    int me = (int)(long)arg;
    const char* text = describe(me, RACY ? common : own);
    lengths[me] = strlen(text);  // race(34): text
    return NULL;
}
int main(void) {
    pthread_t all[3];
    for (long i = 0; i < 3; ++i) pthread_create(&all[i], NULL, worker, (void*)i);
    for (int i = 0; i < 3; ++i) pthread_join(all[i], NULL);
    printf("%zu\n", lengths[0]);
}
#elif CASE == 35 || CASE == 36
// two detached threads, and a count of those that have ended
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;
static int left = 2, results[2];
static void* worker(void* arg) {
    long me = (long)arg;
    if (!RACY) results[me] = 8;
    pthread_mutex_lock(&lock);
    if (--left == 0) pthread_cond_signal(&end);
    pthread_mutex_unlock(&lock);
    if (RACY) results[me] = 8;  // race(35): results
    return NULL;
}
int main(void) {
    pthread_attr_t detached;
    pthread_t one;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < 2; ++i) pthread_create(&one, &detached, worker, (void*)i);
    pthread_mutex_lock(&lock);
    while (left) pthread_cond_wait(&end, &lock);
    pthread_mutex_unlock(&lock);
    int sum = results[0] + results[1];  // race(35): results
    usleep(20000);
    printf("%d\n", sum);
}
#elif CASE == 37 || CASE == 38
// an event's count: what was written before it is there, what after it is not
static int event;
static int ready_data, late_data;
static void* poster(void* arg) {
    eventfd_t one = 1;
    ready_data = 3;
    if (!RACY) late_data = 4;
    eventfd_write(event, one);
    if (RACY) late_data = 4;  // race(37): late
    return arg;
}
int main(void) {
    pthread_t one;
    eventfd_t got;
    event = eventfd(0, 0);
    pthread_create(&one, NULL, poster, NULL);
    eventfd_read(event, &got);
    int sum = ready_data;
    sum += late_data;  // race(37): late
    pthread_join(one, NULL);
    printf("%d\n", sum);
}
#endif
