// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run-time of our own for gcc's -fsanitize=thread: it knows which lines threads took from each other in a real run, from the hooks
// that the compiler calls before each access. One private, infinite cache for each thread, as in memspy's model, but the order is
// that of the processors. At the end, for each line that two threads used:
//   line  address  events (lost copies fetched again, and invalidations)  of all events true  false
// and before it what places it: "heap ADDRESS" (the break at the start), "stack THREAD ADDRESS", "sync ADDRESS" for each line
// with a barrier or a condition.
//
// True and false by what a thread does with a line until another one takes it (Dubois and others, ISCA 1993): a fetch is true if a
// byte used until then was stored by another thread since this one lost its copy; an invalidation if a byte stored until
// another thread fetches the line was used by one that has lost its copy.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/compiler_hooks.h"

enum { kLine = 64, kThreads = 64, kLines = 1 << 16, kSyncs = 256 };
// More threads than processors: each gives its one up after so many accesses on average, a power of two.
enum { kTurn = 16 };

typedef struct {
    bool pending, is_true;
} Judged;
typedef struct {
    uintptr_t number;  // address / kLine; 0: not used
    int locked;
    uint64_t holders, known;  // threads: that have a copy, that ever had one
    uint64_t time;            // stores that took the line, counted
    uint64_t lost[kThreads], used[kThreads];
    Judged fetch[kThreads], taking;
    int taker;
    uint64_t victims_used;
    struct {
        uint8_t by, other;  // thread + 1: who stored last, and who did before that one
        uint64_t at, other_at;
    } stored[kLine];
    long repeated, of_kind[2];  // false, true
} Line;

static Line lines[kLines];
static int thread_count;
static __thread int thread = -1;
static __thread uint32_t turn;
static uintptr_t stacks[kThreads], syncs[kSyncs];
static int sync_count;
static bool ended;

static int self(void) {
    if (thread < 0) thread = __atomic_fetch_add(&thread_count, 1, __ATOMIC_SEQ_CST);
    if (thread >= kThreads) abort();
    return thread;
}
static Line *line_of(uintptr_t number) {
    for (uintptr_t i = number * 0x9E3779B97F4A7C15u >> 48;; ++i) {
        Line *line = &lines[i % kLines];
        uintptr_t known = __atomic_load_n(&line->number, __ATOMIC_ACQUIRE);
        if (known == number) return line;
        if (known != 0) continue;
        if (__atomic_compare_exchange_n(&line->number, &known, number, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || known == number)
            return line;
    }
}

static void judge(Line *line, Judged *event) {
    if (event->pending) ++line->of_kind[event->is_true];
    *event = (Judged){false, false};
}
static bool stored_by_others(const Line *line, int t, uint64_t bytes) {
    for (int i = 0; i < kLine; ++i) {
        if ((bytes >> i & 1) == 0) continue;
        bool own = line->stored[i].by == t + 1;
        int by = own ? line->stored[i].other : line->stored[i].by;
        uint64_t at = own ? line->stored[i].other_at : line->stored[i].at;
        if (by != 0 && at >= line->lost[t]) return true;
    }
    return false;
}
static void fetch(Line *line, int t) {
    judge(line, &line->taking);
    if (line->known != 0) {
        line->fetch[t] = (Judged){true, false};
        if (line->known >> t & 1) ++line->repeated;
    }
    line->known |= UINT64_C(1) << t;
    line->holders |= UINT64_C(1) << t;
    line->used[t] = 0;
}
static void take(Line *line, int t) {
    judge(line, &line->taking);
    ++line->repeated;
    ++line->time;
    line->taking.pending = true;
    line->taker = t;
    line->victims_used = 0;
    for (int other = 0; other < kThreads; ++other) {
        if (other == t || (line->holders >> other & 1) == 0) continue;
        judge(line, &line->fetch[other]);
        line->victims_used |= line->used[other];
        line->lost[other] = line->time;
    }
    line->holders = UINT64_C(1) << t;
}
static void note_stored(Line *line, int t, uint64_t bytes) {
    for (int i = 0; i < kLine; ++i) {
        if ((bytes >> i & 1) == 0) continue;
        if (line->stored[i].by != t + 1) {
            line->stored[i].other = line->stored[i].by;
            line->stored[i].other_at = line->stored[i].at;
            line->stored[i].by = (uint8_t)(t + 1);
        }
        line->stored[i].at = line->time;
    }
}
static void touch(uintptr_t number, uint64_t bytes, bool stores) {
    const int t = self();
    Line *line = line_of(number);
    while (__atomic_exchange_n(&line->locked, 1, __ATOMIC_ACQUIRE)) sched_yield();
    if ((line->holders >> t & 1) == 0) fetch(line, t);
    if (line->fetch[t].pending && stored_by_others(line, t, bytes)) line->fetch[t].is_true = true;
    if (stores) {
        if ((line->holders & ~(UINT64_C(1) << t)) != 0) take(line, t);
        if (line->taking.pending && line->taker == t && (bytes & line->victims_used) != 0) line->taking.is_true = true;
        note_stored(line, t, bytes);
    }
    line->used[t] |= bytes;
    __atomic_store_n(&line->locked, 0, __ATOMIC_RELEASE);
}
static void on_access(const volatile void *at, size_t size, bool stores) {
    if (__atomic_load_n(&ended, __ATOMIC_RELAXED)) return;
    const uintptr_t begin = (uintptr_t)at, end = begin + size;
    for (uintptr_t first = begin; first < end;) {
        const uintptr_t next = (first / kLine + 1) * kLine, last = next < end ? next : end;
        const uint64_t ones = last - first == kLine ? ~UINT64_C(0) : (UINT64_C(1) << (last - first)) - 1;
        touch(first / kLine, ones << first % kLine, stores);
        first = last;
    }
    turn = turn * 1664525 + 1013904223 + (uint32_t)thread;
    if ((turn >> 16) % kTurn == 0) sched_yield();
}

static void on_hook(const volatile void *at, size_t size, bool loads, bool stores) {
    (void)loads;  // what is stored is taken anyway
    on_access(at, size, stores);
}
COMPILER_HOOKS(on_hook)

// What libraries do in the program's name. A lock's words are stored by who takes it and by who gives it.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define TAKES(function, type, bytes)                                                    \
    int function(type *lock) {                                                          \
        static __typeof__(&function) real;                                              \
        if (real == NULL) real = NEXT(function);                                        \
        const int result = real(lock);                                                  \
        on_access((void *)lock, bytes, true);                                           \
        return result;                                                                  \
    }
#define GIVES(function, type, bytes)                                                    \
    int function(type *lock) {                                                          \
        static __typeof__(&function) real;                                              \
        if (real == NULL) real = NEXT(function);                                        \
        on_access((void *)lock, bytes, true);                                           \
        return real(lock);                                                              \
    }
TAKES(pthread_mutex_lock, pthread_mutex_t, 16)
TAKES(pthread_mutex_trylock, pthread_mutex_t, 16)
GIVES(pthread_mutex_unlock, pthread_mutex_t, 16)
TAKES(pthread_spin_lock, pthread_spinlock_t, 4)
TAKES(pthread_spin_trylock, pthread_spinlock_t, 4)
GIVES(pthread_spin_unlock, pthread_spinlock_t, 4)
TAKES(pthread_rwlock_rdlock, pthread_rwlock_t, 4)
TAKES(pthread_rwlock_wrlock, pthread_rwlock_t, 4)
GIVES(pthread_rwlock_unlock, pthread_rwlock_t, 4)
TAKES(sem_wait, sem_t, 8)
GIVES(sem_post, sem_t, 8)

// Barriers and conditions: where threads are meant to meet, which is not compared.
static void note_sync(const void *at, size_t size) {
    for (uintptr_t line = (uintptr_t)at / kLine; line <= ((uintptr_t)at + size - 1) / kLine; ++line) {
        bool known = false;
        for (int i = 0; i < sync_count && i < kSyncs; ++i) known |= syncs[i] == line;
        if (known) continue;
        const int place = __atomic_fetch_add(&sync_count, 1, __ATOMIC_SEQ_CST);
        if (place < kSyncs) syncs[place] = line;
    }
}
#define MEETS(function, type)                                                           \
    int function(type *place) {                                                         \
        static __typeof__(&function) real;                                              \
        if (real == NULL) real = NEXT(function);                                        \
        note_sync(place, sizeof *place);                                                \
        return real(place);                                                             \
    }
MEETS(pthread_barrier_wait, pthread_barrier_t)
MEETS(pthread_cond_signal, pthread_cond_t)
MEETS(pthread_cond_broadcast, pthread_cond_t)

// Threads have numbers in the order in which they are created, as in memspy.
static struct {
    void *(*run)(void *);
    void *argument;
    int number;
} starts[kThreads];
static int started = 1;
static void *start(void *argument) {
    const int number = (int)(intptr_t)argument;
    thread = number;
    turn = (uint32_t)number * 2654435761u;
    stacks[number] = (uintptr_t)__builtin_frame_address(0);
    return starts[number].run(starts[number].argument);
}
int pthread_create(pthread_t *made, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    static __typeof__(&pthread_create) real;
    if (real == NULL) real = NEXT(pthread_create);
    const int number = __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
    if (number >= kThreads) abort();
    starts[number].run = run;
    starts[number].argument = argument;
    starts[number].number = number;
    return real(made, attributes, start, (void *)(intptr_t)number);
}

__attribute__((constructor)) static void begin(void) {
    thread = 0;
    thread_count = kThreads;  // others are numbered where they are created
    stacks[0] = (uintptr_t)__builtin_frame_address(0);
}
__attribute__((destructor)) static void print_lines(void) {
    __atomic_store_n(&ended, true, __ATOMIC_SEQ_CST);
    const char *name = getenv("ORACLE_OUT");
    FILE *out = name != NULL ? fopen(name, "w") : stderr;
    if (out == NULL) abort();
    for (int t = 0; t < kThreads; ++t)
        if (stacks[t] != 0) fprintf(out, "stack\t%d\t%#lx\n", t + 1, (unsigned long)stacks[t]);
    for (int i = 0; i < sync_count && i < kSyncs; ++i) fprintf(out, "sync\t%#lx\n", (unsigned long)(syncs[i] * kLine));
    for (Line *line = lines; line != lines + kLines; ++line) {
        if (line->number == 0) continue;
        judge(line, &line->taking);
        for (int t = 0; t < kThreads; ++t) judge(line, &line->fetch[t]);
        if (line->repeated != 0)
            fprintf(out, "line\t%#lx\t%ld\t%ld\t%ld\n", (unsigned long)(line->number * kLine), line->repeated, line->of_kind[1],
                    line->of_kind[0]);
    }
    if (out != stderr) fclose(out);
}
