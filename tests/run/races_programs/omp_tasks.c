// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Tasks of OpenMP: what the graph of tasks orders, whichever threads run them.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
static int shared, other, results[64];
static int own;
#pragma omp threadprivate(own)
static int* block;
#if CASE == 5
static int fib(int n) {
    if (n < 2) return n;
    int* xy = calloc(2, sizeof *xy);  // the tasks may run when this function has returned
#pragma omp task firstprivate(xy)
    xy[0] = fib(n - 1);  // race: xy
#pragma omp task firstprivate(xy)
    xy[1] = fib(n - 2);    // race: xy
    return xy[0] + xy[1];  // race: xy
}
#elif CASE == 4
static int fib(int n) {
    if (n < 2) return n;
    int x, y;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}
#endif
static void step(int n) {  // a chain of tasks
    if (n == 0) return;
#pragma omp task
    step(n - 1);
    results[n] = n;
}
int main(void) {
    int i = 0, x = 0;
    (void)x;
#if CASE == 1  // two tasks store to one variable
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        i = 1;  // race: i
#pragma omp task
        i = 2;  // race: i
    }
#elif CASE == 2  // in an order
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : i)
        i = 1;
#pragma omp task depend(in : i)
        i = 2;
    }
#elif CASE == 3  // in no order, though both depend on something
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(in : i)
        i = 1;  // race: i
#pragma omp task depend(in : i)
        i = 2;  // race: i
    }
#elif CASE == 4
#pragma omp parallel
#pragma omp single
    shared = fib(6);
#elif CASE == 5
#pragma omp parallel
#pragma omp single
    shared = fib(6);
#elif CASE == 6  // the parent goes on
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        shared = 1;  // race: shared
        shared = 2;  // race: shared
    }
#elif CASE == 7
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        shared = 1;
#pragma omp taskwait
        shared = 2;
    }
#elif CASE == 8  // taskwait waits for children only
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            {
                usleep(1000);
                shared = 1;  // race: shared
            }
        }
#pragma omp taskwait
        shared = 2;  // race: shared
    }
#elif CASE == 9  // taskgroup waits for all
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                {
                    usleep(1000);
                    shared = 1;
                }
            }
        }
        shared = 2;
    }
#elif CASE == 10  // an undeferred task
#pragma omp parallel
#pragma omp single
    {
#pragma omp task if (0)
        shared = 1;
        shared = 2;
    }
#elif CASE == 11  // undeferred tasks one after the other
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 10; t++)
#pragma omp task if (0)
        shared++;
#elif CASE == 12  // the same, deferred
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 10; t++)
#pragma omp task
        shared++;  // race: shared
#elif CASE == 13  // each with its own element
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 10; t++)
#pragma omp task firstprivate(t)
        results[t] = t;
#elif CASE == 14  // the barrier waits for tasks
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task
            shared = 1;
        }
        results[omp_get_thread_num()] = shared;
    }
#elif CASE == 15  // single without its barrier
#pragma omp parallel
    {
#pragma omp single nowait
        {
#pragma omp task
            shared = 1;  // race: shared
        }
        results[omp_get_thread_num()] = shared;  // race: shared
    }
#elif CASE == 16  // critical in tasks
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 10; t++)
#pragma omp task
    {
#pragma omp critical
        shared++;
    }
#elif CASE == 17  // atomic in tasks
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 10; t++)
#pragma omp task
    {
#pragma omp atomic
        shared++;
    }
#elif CASE == 18  // two producers, two consumers
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : shared)
        shared = 1;
#pragma omp task depend(out : other)
        other = 2;
#pragma omp task depend(in : shared, other)
        results[0] = shared + other;
#pragma omp task depend(in : shared)
        results[1] = shared;
#pragma omp taskwait
    }
#elif CASE == 19  // one of two dependences is forgotten
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : shared)
        shared = 1;
#pragma omp task depend(out : other)
        other = 2;  // race: other
#pragma omp task depend(in : shared)
        results[0] = shared + other;  // race: other
    }
#elif CASE == 20  // dependences hold between siblings only
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : shared)
        {
#pragma omp task depend(out : shared)
            shared = 1;  // race: shared
        }
#pragma omp task depend(in : shared)
        {
#pragma omp task depend(in : shared)
            results[0] = shared;  // race: shared
        }
    }
#elif CASE == 21  // taskloop
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
    for (int t = 0; t < 64; t++) results[t] = t;
#elif CASE == 22  // taskloop with a sum
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(8)
    for (int t = 0; t < 64; t++) {
        shared += t;  // race: shared
        KEEP;
    }
#elif CASE == 23  // after the taskloop
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop
        for (int t = 0; t < 64; t++) results[t] = t;
        shared = results[63];
    }
#elif CASE == 24  // taskloop nogroup
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop nogroup
        for (int t = 0; t < 64; t++)
            results[t] = t;    // race: results
        shared = results[63];  // race: results
    }
#elif CASE == 25  // threadprivate in tasks of one thread
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 4; t++)
#pragma omp task
    own = own + 1;
#elif CASE == 26  // a chain of tasks
#pragma omp parallel
#pragma omp single
    step(20);
#elif CASE == 27  // parent's variable after its end is not used: firstprivate
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 4; t++) {
        int local = t;
#pragma omp task
        results[local] = local;
    }
#elif CASE == 28  // a block of a task, freed by the next one
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : block)
        block = calloc(4, sizeof *block);
#pragma omp task depend(inout : block)
        block[1] = 3;
#pragma omp task depend(in : block)
        free(block);
    }
#elif CASE == 29  // sum by parts: each task has its part, the parent adds
#pragma omp parallel
#pragma omp single
    {
        for (int t = 0; t < 4; t++) {
#pragma omp task firstprivate(t)
            for (int k = 0; k < 100; k++) results[t] += k;
        }
#pragma omp taskwait
        for (int t = 0; t < 4; t++) shared += results[t];
    }
#elif CASE == 30  // the same without waiting
#pragma omp parallel
#pragma omp single
    {
        for (int t = 0; t < 4; t++) {
#pragma omp task firstprivate(t)
            for (int k = 0; k < 100; k++) {
                results[t] += k;  // race: results
                KEEP;
            }
        }
        for (int t = 0; t < 4; t++) {
            KEEP;
            shared += results[t];  // race: results
        }
    }
#elif CASE == 31  // two threads make tasks
#pragma omp parallel num_threads(2)
    {
#pragma omp task
        shared++;  // race: shared
    }
#elif CASE == 32  // before the task is made
#pragma omp parallel
#pragma omp single
    {
        shared = 5;
#pragma omp task
        results[0] = shared;
    }
#elif CASE == 33  // sections with tasks
#pragma omp parallel sections
    {
#pragma omp section
        {
#pragma omp task
            results[0] = 1;
        }
#pragma omp section
        {
#pragma omp task
            results[1] = 1;
        }
    }
#elif CASE == 34  // a task of a single thread's team is ordered by no one else
#pragma omp parallel num_threads(1)
    {
#pragma omp task
        shared = 1;
#pragma omp taskwait
        shared = 2;
    }
#elif CASE == 35  // final tasks are undeferred
#pragma omp parallel
#pragma omp single
    {
#pragma omp task final(1)
        {
#pragma omp task
            shared = 1;
            shared = 2;
        }
    }
#elif CASE == 36  // a lock in tasks
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 4; t++) {
#pragma omp task
        {
            omp_set_lock(&lock);
            shared++;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
#elif CASE == 37  // inout chains over a loop
#pragma omp parallel
#pragma omp single
    for (int t = 1; t < 10; t++)
#pragma omp task depend(in : results[t - 1]) depend(out : results[t])
        results[t] = results[t - 1] + 1;
#elif CASE == 38  // and without the in
#pragma omp parallel
#pragma omp single
    for (int t = 1; t < 10; t++)
#pragma omp task depend(out : results[t])
        results[t] = results[t - 1] + 1;  // race: results
#elif CASE == 39  // taskyield orders nothing
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        shared++;  // race: shared
#pragma omp taskyield
        shared++;  // race: shared
    }
#elif CASE == 40  // a task in each iteration of a shared loop
#pragma omp parallel for
    for (int t = 0; t < 20; t++) {
#pragma omp task firstprivate(t)
        results[t] += t;
    }
#elif CASE == 41  // mutexinoutset: one after the other, in no order
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(mutexinoutset : shared)
        shared += 1;
#pragma omp task depend(mutexinoutset : shared)
        shared += 2;
#pragma omp task depend(in : shared)
        results[0] = shared;
    }
#elif CASE == 42  // taskwait with a dependence waits for the one task
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : shared)
        shared = 1;
#pragma omp task depend(out : other)
        other = 1;  // race: other
#pragma omp taskwait depend(in : shared)
        results[0] = shared;
        KEEP;
        results[1] = other;  // race: other
    }
#endif
    printf("%d %d %d %d\n", shared, other, i, results[0] + results[1] + results[9] + results[63]);
    return 0;
}
