// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread
// POSIX threads as programs use them: pools, queues, arguments, detached threads, own locks, messages, bit fields.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#define KEEP __asm__ volatile("" ::: "memory")
enum { WORKERS = 3, JOBS = 24, ROOM = 4 };
typedef struct { int number, result; } Job;
static Job jobs[JOBS];
static Job* list;
static int next_job, jobs_done, total, stop, box, results[WORKERS + 1];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t full, room;
static int ring[ROOM], ring_in, ring_out;
static int ends[2], event;
static struct { unsigned low : 4, high : 4; int other; } flags;
static char bytes[8], message[64];
static int own_lock;
static atomic_int ticket, serving, sequence, want[2], victim;
static int plain_want[2], plain_victim;
static atomic_int words[2];
static struct { int* data; size_t used, size; } stack;

static void take_own(void) { while (__sync_lock_test_and_set(&own_lock, 1)) sched_yield(); }
static void leave_own(void) { __sync_lock_release(&own_lock); }
static void nap(void) {
    struct timespec time = {0, 3000000};
    nanosleep(&time, NULL);
}
static void clean(void* unused) {
    (void)unused;
    pthread_mutex_unlock(&m);
}
static void at_end(void* value) {
    pthread_mutex_lock(&m);
    total += *(int*)value;
    pthread_mutex_unlock(&m);
    free(value);
}

static void* work(void* argument) {
    long t = (long)argument;
#if CASE == 1 || CASE == 2  // a pool that takes jobs under a lock
    for (;;) {
        pthread_mutex_lock(&m);
        if (next_job == JOBS) break;
        Job* job = &jobs[next_job++];
        pthread_mutex_unlock(&m);
        job->result = job->number * 2;  // race(2): result
        pthread_mutex_lock(&m);
        if (++jobs_done == JOBS) pthread_cond_signal(&done);
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_unlock(&m);
#elif CASE == 3  // the next job is taken without the lock
    for (;;) {
        int mine = next_job;  // race: next
        if (mine >= JOBS) break;  // race: next
        next_job = mine + 1;  // race: next
        jobs[mine].result = jobs[mine].number * 2;  // race: result maybe
    }
#elif CASE == 4  // the number of the thread, from the creator's variable
    results[*(int*)argument % WORKERS] += 1;  // race: number
#elif CASE == 5  // from memory of its own
    results[*(int*)argument % WORKERS] += 1;
    free(argument);
#elif CASE == 6  // a ring with two semaphores
    for (int i = 0; i < 20; i++) {
        if (t == 0) {
            sem_wait(&room);
            ring[ring_in++ % ROOM] = i;
            sem_post(&full);
        } else if (t == 1) {
            sem_wait(&full);
            results[1] += ring[ring_out++ % ROOM];
            sem_post(&room);
        }
    }
#elif CASE == 7  // two consumers share one place
    for (int i = 0; i < 20; i++) {
        if (t == 0) {
            sem_wait(&room);
            ring[ring_in++ % ROOM] = i;  // race: slots maybe
            sem_post(&full);
            sem_wait(&room);
            ring[ring_in++ % ROOM] = i;  // race: slots maybe
            sem_post(&full);
        } else {
            sem_wait(&full);
            results[t] += ring[ring_out++ % ROOM];  // race: out slots maybe
            sem_post(&room);
        }
    }
#elif CASE == 8  // phases of a barrier
    for (int i = 0; i < 4; i++) {
        results[t] = i;
        pthread_barrier_wait(&barrier);
        bytes[t] = (char)results[(t + 1) % WORKERS];
        pthread_barrier_wait(&barrier);
    }
#elif CASE == 9  // the second wait is missing
    for (int i = 0; i < 4; i++) {
        results[t] = i;  // race: results
        pthread_barrier_wait(&barrier);
        bytes[t] = (char)results[(t + 1) % WORKERS];  // race: results
    }
#elif CASE == 10  // bytes and fields of a struct side by side
    bytes[t] = (char)t;
    if (t == 0) flags.low = 3;
    if (t == 1) flags.other = 3;
#elif CASE == 11  // bit fields of one byte
    if (t == 0) flags.low = 3;  // race: flags
    if (t == 1) flags.high = 3;  // race: flags
#elif CASE == 12  // a lock of the program's own
    for (int i = 0; i < 20; i++) {
        take_own();
        total++;
        leave_own();
    }
#elif CASE == 13  // the last one counts outside
    for (int i = 0; i < 20; i++) {
        if (t != 2) take_own();
        total++;  // race: total
        if (t != 2) leave_own();
    }
#elif CASE == 14  // tickets
    for (int i = 0; i < 20; i++) {
        int mine = atomic_fetch_add(&ticket, 1);
        while (atomic_load(&serving) != mine) sched_yield();
        total++;
        atomic_store(&serving, mine + 1);
    }
#elif CASE == 15  // Peterson, with atomics
    for (int i = 0; i < 20 && t < 2; i++) {
        atomic_store(&want[t], 1);
        atomic_store(&victim, (int)t);
        while (atomic_load(&want[1 - t]) && atomic_load(&victim) == t) sched_yield();
        total++;
        atomic_store(&want[t], 0);
    }
#elif CASE == 16  // a sequence lock with atomic data
    for (int i = 0; i < 20; i++) {
        if (t == 0) {
            atomic_fetch_add(&sequence, 1);
            atomic_store_explicit(&words[0], i, memory_order_relaxed);
            atomic_store_explicit(&words[1], i, memory_order_relaxed);
            atomic_fetch_add(&sequence, 1);
        } else {
            int seen, first, second;
            do {
                seen = atomic_load(&sequence);
                first = atomic_load_explicit(&words[0], memory_order_relaxed);
                second = atomic_load_explicit(&words[1], memory_order_relaxed);
            } while ((seen & 1) || atomic_load(&sequence) != seen);
            results[t] += first - second;
        }
    }
#elif CASE == 17  // by a pair of sockets
    char c = 0;
    if (t == 0) {
        total = 7;
        if (write(ends[0], &c, 1) != 1) return NULL;
    } else if (t == 1) {
        if (read(ends[1], &c, 1) != 1) return NULL;
        results[1] = total;
    }
#elif CASE == 18  // the message comes before what it tells of
    char c = 0;
    if (t == 0) {
        if (write(ends[0], &c, 1) != 1) return NULL;
        total = 7;  // race: total
    } else if (t == 1) {
        if (read(ends[1], &c, 1) != 1) return NULL;
        nap();
        results[1] = total;  // race: total
    }
#elif CASE == 19  // by eventfd
    if (t == 0) {
        total = 7;
        eventfd_write(event, 1);
    } else if (t == 1) {
        eventfd_t seen;
        eventfd_read(event, &seen);
        results[1] = total;
    }
#elif CASE == 20  // sleep orders nothing
    if (t == 0) total = 7;  // race: total
    if (t == 1) {
        nap();
        results[1] = total;  // race: total
    }
#elif CASE == 21  // a writer under the readers' side
    if (t == 0) {
        pthread_rwlock_rdlock(&rw);
        total++;  // race: total
        pthread_rwlock_unlock(&rw);
    } else {
        pthread_rwlock_rdlock(&rw);
        results[t] = total;  // race: total
        pthread_rwlock_unlock(&rw);
    }
#elif CASE == 22  // who does not get the lock goes on without it
    for (int i = 0; i < 20; i++) {
        int got = t == 2 ? 1 : pthread_mutex_trylock(&m);
        total++;  // race: total
        if (got == 0) pthread_mutex_unlock(&m);
    }
#elif CASE == 23  // who does not, does it later
    for (int i = 0; i < 20; i++) {
        while (pthread_mutex_trylock(&m) != 0) sched_yield();
        total++;
        pthread_mutex_unlock(&m);
    }
#elif CASE == 24  // values that are summed where the threads end
    int* value = malloc(sizeof *value);
    *value = (int)t;
    pthread_setspecific(key, value);
#elif CASE == 25  // a stack that grows under two locks
    pthread_mutex_t* mine = t == 0 ? &m : &m2;
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(mine);
        if (stack.used == stack.size) {  // race: stack
            if (stack.data == NULL) stack.data = calloc(64, sizeof(int));  // race: stack
            stack.size = 64;                                               // race: stack
        }
        stack.data[stack.used++] = i;  // race: stack
        pthread_mutex_unlock(mine);
    }
#elif CASE == 26  // text is copied while it is read
    if (t == 0) strcpy(message, "a text that is longer than one word");  // race: text
    if (t == 1) results[1] = (int)strlen(message);  // race: text
#elif CASE == 27  // a thread that is cancelled lets its lock go
    pthread_mutex_lock(&m);
    pthread_cleanup_push(clean, NULL);
    total++;
    if (t == 0) pthread_testcancel();
    pthread_cleanup_pop(1);
#elif CASE == 28  // a plain flag ends the loop
    if (t == 0) {
        nap();
        stop = 1;  // race: stop maybe
    } else {
        while (stop == 0) {  // race: stop maybe
            KEEP;
            results[t]++;
        }
    }
#elif CASE == 29  // one waits for a value
    pthread_mutex_lock(&m);
    if (t == 0) {
        box = 5;
        pthread_cond_broadcast(&more);
    } else {
        while (box == 0) pthread_cond_wait(&more, &m);
        results[t] = box;
    }
    pthread_mutex_unlock(&m);
#elif CASE == 30  // looked at before the lock is taken
    if (t == 0) {
        pthread_mutex_lock(&m);
        box = 5;  // race: box
        pthread_mutex_unlock(&m);
    } else if (box == 0) {  // race: box
        pthread_mutex_lock(&m);
        results[t] = box;
        pthread_mutex_unlock(&m);
    }
#elif CASE == 31  // Peterson, plain
    for (int i = 0; i < 20 && t < 2; i++) {
        plain_want[t] = 1;  // race: want maybe
        KEEP;
        plain_victim = (int)t;  // race: victim
        KEEP;
        while (plain_want[1 - t] && plain_victim == t) {  // race: want victim
            KEEP;
            sched_yield();
        }
        total++;  // race: total maybe
        KEEP;
        plain_want[t] = 0;  // race: want maybe
    }
#elif CASE == 32  // freed while another thread uses it
    if (t == 0) free(list);  // race: list
    if (t == 1) results[1] = list->number;  // race: list
#elif CASE == 33  // it may move while another thread looks at it
    if (t == 0) list = realloc(list, 4000);  // race: list
    if (t == 1) results[1] = list->number;  // race: list
#elif CASE == 34  // freed under the lock that its users take
    Job* mine = list;
    pthread_mutex_lock(&m);
    if (t != 2) mine->result++;
    if (++jobs_done == WORKERS) free(mine);
    pthread_mutex_unlock(&m);
#elif CASE == 35  // the first access under the lock is the free
    Job* mine = list;
    if (t == 0) {
        pthread_mutex_lock(&m);
        mine->result = 5;
        jobs_done = 1;
        pthread_mutex_unlock(&m);
    } else if (t == 1) {
        for (int seen = 0; !seen;) {
            pthread_mutex_lock(&m);
            seen = jobs_done;
            pthread_mutex_unlock(&m);
        }
        pthread_mutex_lock(&m2);
        free(mine);
        pthread_mutex_unlock(&m2);
    }
#elif CASE == 36  // made again in the same memory by another thread
    for (int i = 0; i < 10; i++) {
        Job* own = malloc(sizeof *own);
        own->number = i;
        results[t] += own->number;
        free(own);
    }
#endif
    return NULL;
}

int main(void) {
    pthread_t threads[WORKERS];
    int argument_of_all = 0;
    for (int i = 0; i < JOBS; i++) jobs[i].number = i;
    pthread_barrier_init(&barrier, NULL, WORKERS);
    sem_init(&full, 0, 0);
    sem_init(&room, 0, ROOM);
    pthread_key_create(&key, at_end);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    event = eventfd(0, 0);
    list = calloc(1, sizeof *list);
    for (long t = 0; t < WORKERS; t++) {
        void* argument = (void*)t;
#if CASE == 4
        argument_of_all = (int)t;  // race: number
        argument = &argument_of_all;
#elif CASE == 5
        argument = malloc(sizeof(int));
        *(int*)argument = (int)t;
#endif
        if (pthread_create(&threads[t], NULL, work, argument) != 0) return 1;
    }
#if CASE == 1  // waits until all is done
    pthread_mutex_lock(&m);
    while (jobs_done < JOBS) pthread_cond_wait(&done, &m);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < JOBS; i++) total += jobs[i].result;
#elif CASE == 2  // does not
    for (int i = 0; i < JOBS; i++) total += jobs[i].result;  // race: result
#endif
    for (int t = 0; t < WORKERS; t++) pthread_join(threads[t], NULL);
    printf("%d %d %d %d %d %d %s\n", total, jobs[3].result, results[1], bytes[1], argument_of_all, flags.low + flags.high, message);
    return 0;
}
