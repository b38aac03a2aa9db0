// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Parallel regions of OpenMP: single, master, sections, tasks, locks, barriers, nested teams, threadprivate.
#include <omp.h>
#include <stdio.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
int shared, other, flags[4], results[64];
static int mine;
#pragma omp threadprivate(mine)
static int fib(int n) {
    if (n < 2) return n;
    int x, y;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#if CASE == 16
    return x + y + 0 * shared;
#else
#pragma omp taskwait
    return x + y;
#endif
}
int main(void) {
    int local = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#if CASE == 1  // all threads store
#pragma omp parallel num_threads(4)
    shared = omp_get_thread_num();  // race: shared
#elif CASE == 2
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        shared = omp_get_thread_num();
        flags[omp_get_thread_num()] = shared;
    }
#elif CASE == 3  // single without its barrier
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        shared = 1;                            // race: shared
        flags[omp_get_thread_num()] = shared;  // race: shared
    }
#elif CASE == 4  // master has no barrier
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        shared = 1;                            // race: shared
        flags[omp_get_thread_num()] = shared;  // race: shared
    }
#elif CASE == 5
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        shared = 1;
#pragma omp barrier
        flags[omp_get_thread_num()] = shared;
    }
#elif CASE == 6  // sections that use one variable
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        for (int i = 0; i < 30000; i++) { shared += i; KEEP; }  // race: shared
#pragma omp section
        for (int i = 0; i < 30000; i++) { shared -= i; KEEP; }  // race: shared
    }
#elif CASE == 7
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        for (int i = 0; i < 30000; i++) { shared += i; KEEP; }
#pragma omp section
        for (int i = 0; i < 30000; i++) { other -= i; KEEP; }
    }
#elif CASE == 8  // a lock
#pragma omp parallel num_threads(4)
    {
        omp_set_lock(&lock);
        shared++;
        omp_unset_lock(&lock);
    }
#elif CASE == 9  // critical sections of two names
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() % 2) {
#pragma omp critical(one)
            shared++;  // race: shared
        } else {
#pragma omp critical(two)
            shared++;  // race: shared
        }
    }
#elif CASE == 10
#pragma omp parallel num_threads(4)
    {
#pragma omp critical(one)
        shared++;
#pragma omp critical(two)
        other++;
    }
#elif CASE == 11  // a barrier is missing between two steps
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num();
        flags[t] = t;                       // race: flags
        results[t] = flags[(t + 1) % 4];    // race: flags
    }
#elif CASE == 12
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num();
        flags[t] = t;
#pragma omp barrier
        results[t] = flags[(t + 1) % 4];
    }
#elif CASE == 13  // threadprivate
#pragma omp parallel num_threads(4)
    {
        mine = omp_get_thread_num();
        results[omp_get_thread_num()] = mine;
    }
#elif CASE == 14  // tasks with taskwait
#pragma omp parallel num_threads(4)
#pragma omp single
    shared = fib(8);
#elif CASE == 15  // depend
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : shared)
        shared = 1;
#pragma omp task depend(inout : shared)
        shared++;
#pragma omp task depend(in : shared)
        other = shared;
    }
#elif CASE == 17  // firstprivate
    local = 5;
#pragma omp parallel num_threads(4) firstprivate(local)
    {
        local += omp_get_thread_num();
        results[omp_get_thread_num()] = local;
    }
#elif CASE == 18  // nested
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        shared++;
    }
#elif CASE == 19  // copyprivate
#pragma omp parallel num_threads(4) firstprivate(local)
    {
#pragma omp single copyprivate(local)
        local = 7;
        results[omp_get_thread_num()] = local;
    }
#elif CASE == 20  // two regions, one after the other
#pragma omp parallel num_threads(4)
    flags[omp_get_thread_num()] = 1;
#pragma omp parallel num_threads(4)
    results[omp_get_thread_num()] = flags[3 - omp_get_thread_num()];
#elif CASE == 21  // a local variable of main
#pragma omp parallel num_threads(4)
    local += 1;  // race: local
#elif CASE == 22  // atomic capture deals out places
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 16; i++) {
        int at;
#pragma omp atomic capture
        at = local++;
        results[at] = at;
    }
#elif CASE == 23  // tasks of one generation use one variable, each long enough to be taken by another thread
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int t = 0; t < 8; t++)
#pragma omp task
        for (int i = 0; i < 40000; i++) { shared += i; KEEP; }  // race: shared
#elif CASE == 24  // taskgroup and taskloop
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < 64; i++) results[i] = i;
#endif
    printf("%d %d %d %d\n", shared * 0, other * 0, local * 0, results[3] * 0 + flags[2]);
    omp_destroy_lock(&lock);
    return 0;
}
