// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Constructs of OpenMP that are used less: sections, teams, loops and groups of tasks, copies, flags, nests.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 200 };
int a[N + 1], b[N + 1], sum, first, second, flag, results[64];
int seed;
#pragma omp threadprivate(seed)
static int value_of(int i) { return i * 3 + 1; }
__attribute__((noinline)) static void set(int to) {
    first = to;  // race(1): first
}
int main(void) {
    int local = 0;
    int* block = calloc(N, sizeof *block);
#if CASE == 1  // sections that write the same
#pragma omp parallel sections num_threads(4)
    {
#pragma omp section
        set(1);
#pragma omp section
        set(2);
    }
#elif CASE == 2  // each its own
#pragma omp parallel sections num_threads(4)
    {
#pragma omp section
        first = 1;
#pragma omp section
        second = 2;
    }
#elif CASE == 3  // a section uses what another one makes
#pragma omp parallel num_threads(4)
    {
#pragma omp sections
        {
#pragma omp section
            for (int i = 0; i < N; i++) a[i] = value_of(i);  // race: a
#pragma omp section
            for (int i = 0; i < N; i++) b[i] = a[i];  // race: a
        }
    }
#elif CASE == 4  // the second sections go on after the first
#pragma omp parallel num_threads(4)
    {
#pragma omp sections
        {
#pragma omp section
            first = 1;
#pragma omp section
            second = 2;
        }
#pragma omp sections
        {
#pragma omp section
            results[0] = second;
#pragma omp section
            results[1] = first;
        }
    }
#elif CASE == 5  // and here they do not
#pragma omp parallel num_threads(4)
    {
#pragma omp sections nowait
        {
#pragma omp section
            {
                first = 1;  // race: first
                KEEP;
            }
#pragma omp section
            {
                second = value_of(local);  // race: second
                KEEP;
            }
        }
#pragma omp sections
        {
#pragma omp section
            {
                results[0] = second;  // race: second
                KEEP;
            }
#pragma omp section
            {
                results[1] = first + 1;  // race: first
            }
        }
    }
#elif CASE == 6  // iterations of a loop of tasks
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < N; i++) {
        sum += i;  // race: sum
        KEEP;
    }
#elif CASE == 7
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(4) reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += i;
#elif CASE == 8  // the loop of tasks has no group to wait for
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskloop nogroup grainsize(10)
        for (int i = 0; i < N; i++) a[i] = i;  // race: a
        for (int i = 0; i < N; i++) results[0] += a[i];  // race: a
    }
#elif CASE == 9
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskloop grainsize(10)
        for (int i = 0; i < N; i++) a[i] = i;
        for (int i = 0; i < N; i++) results[0] += a[i];
    }
#elif CASE == 10  // taskwait waits for children only
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            first = value_of(3);  // race: first
        }
#pragma omp taskwait
        results[0] = first;  // race: first
    }
#elif CASE == 11  // a group waits for all
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                first = value_of(3);
            }
        }
        results[0] = first;
    }
#elif CASE == 12  // inout in a chain
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 20; i++)
#pragma omp task depend(inout : sum)
        sum += i;
#elif CASE == 13  // in and in: both store
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 20; i++)
#pragma omp task depend(in : sum)
        sum += i;  // race: sum
#elif CASE == 14  // threadprivate, copied in
    seed = 7;
#pragma omp parallel num_threads(4) copyin(seed)
    {
        seed += omp_get_thread_num();
        results[omp_get_thread_num()] = seed;
    }
#elif CASE == 15  // a pointer to the first thread's copy
    int* where = &seed;
#pragma omp parallel num_threads(4)
    *where += 1;  // race: seed
#elif CASE == 16  // a flag with atomic accesses hands over
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            first = 5;
#pragma omp atomic write release
            flag = 1;
        } else {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read acquire
                seen = flag;
            }
            results[0] = first;
        }
    }
#elif CASE == 17  // a nested team's sum
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    sum += 1;  // race: sum
#elif CASE == 18
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    sum += 1;
#elif CASE == 19  // simd in a loop of a team: the neighbour
#pragma omp parallel for simd num_threads(4) schedule(static)
    for (int i = 0; i < N; i++) a[i] = a[i + 1] + 1;  // race: a
#elif CASE == 20
#pragma omp parallel for simd num_threads(4) schedule(static)
    for (int i = 0; i < N; i++) a[i] = b[i + 1] + 1;
#elif CASE == 21  // an atomic sum, and a look without
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
        sum += 1;  // race: sum
        KEEP;
        results[omp_get_thread_num()] = sum;  // race: sum
    }
#elif CASE == 22
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
        sum += 1;
#pragma omp barrier
        results[omp_get_thread_num()] = sum;
    }
#elif CASE == 23  // the last value is read before the loop has ended
#pragma omp parallel num_threads(4)
    {
#pragma omp for lastprivate(local) nowait  // race: local maybe
        for (int i = 0; i < N; i++) local = i;  // race: local maybe
        KEEP;
        results[omp_get_thread_num()] = local;  // race: local maybe
    }
#elif CASE == 24  // teams of the host
#pragma omp teams num_teams(2) thread_limit(2)
    {
#pragma omp parallel num_threads(2)
        block[omp_get_team_num() * 2 + omp_get_thread_num()] += 1;
    }
#elif CASE == 25  // masked work that nobody waits for
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        first = value_of(2);  // race: first
        KEEP;
        results[omp_get_thread_num()] = first;  // race: first
    }
#elif CASE == 26
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        first = value_of(2);
#pragma omp barrier
        results[omp_get_thread_num()] = first;
    }
#elif CASE == 27  // a lock that one of them does not get
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
    {
        if (omp_test_lock(&lock)) {
            sum++;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
#endif
    printf("%d %d %d %d %d %d\n", a[1], sum, first, second, results[0] + local, block[0]);
    return 0;
}
