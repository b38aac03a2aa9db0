// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// What OpenMP orders threads by, and what it does not: locks, atomics, flush, ordered, barriers, nested teams, target
// regions on the host.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 100 };
int a[N + 1], b[N + 1], x, y, flag, sum, most;
static int kept;
double results[N];
#pragma omp declare target
static int on_device;
#pragma omp end declare target
#pragma omp threadprivate(kept)
static void update(int i) {
#pragma omp critical
    sum += i;
}
int main(void) {
    int i = 0, local = 0;
    omp_lock_t lock, second;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_lock(&second);
    omp_init_nest_lock(&nest);
#if CASE == 1  // release and acquire by atomics: a reader that finds the flag at once does not look like one
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            x = 10;  // race: x maybe
#pragma omp atomic write release
            y = 1;  // race: y maybe
        } else {
            int seen = 0;
            while (seen == 0) {
#pragma omp atomic read acquire
                seen = y;  // race: y maybe
            }
            a[0] = x;  // race: x maybe
        }
    }
#elif CASE == 2  // the flag is read, the data before it
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            x = 10;  // race: x
#pragma omp atomic write
            y = 1;
        } else {
            a[0] = x;  // race: x
        }
    }
#elif CASE == 3  // a result by atomic reads only where it is written atomically
#pragma omp parallel for
    for (i = 0; i < N; i++) {
#pragma omp atomic
        sum += i;    // race: sum maybe
        a[i] = sum;  // race: sum maybe
    }
#elif CASE == 4  // a flush is no lock
#pragma omp parallel for
    for (i = 0; i < N; i++) {
#pragma omp flush
        sum += i;  // race: sum
#pragma omp flush
    }
#elif CASE == 5  // ordered is missing in a loop that has the clause
#pragma omp parallel for ordered
    for (i = 0; i < N; i++)
        sum = sum * 2 + i;  // race: sum
#elif CASE == 6
#pragma omp parallel for ordered
    for (i = 0; i < N; i++) {
#pragma omp ordered
        sum = sum * 2 + i;
    }
#elif CASE == 7  // part of it is outside
#pragma omp parallel for ordered
    for (i = 0; i < N; i++) {
#pragma omp ordered
        sum += i;  // race: sum
        KEEP;
        results[i] = sum;  // race: sum
    }
#elif CASE == 8  // nested locks
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        sum += i;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
#elif CASE == 9  // one section without the lock
#pragma omp parallel sections num_threads(2)  // race: sum
    {
#pragma omp section
        {
            omp_set_lock(&lock);
            sum += 1;  // race: sum
            omp_unset_lock(&lock);
        }
#pragma omp section
        sum += 2;  // race: sum
    }
#elif CASE == 10  // both with it
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            omp_set_lock(&lock);
            sum += 1;
            omp_unset_lock(&lock);
        }
#pragma omp section
        {
            omp_set_lock(&lock);
            sum += 2;
            omp_unset_lock(&lock);
        }
    }
#elif CASE == 11  // each with its own
#pragma omp parallel sections num_threads(2)  // race: sum
    {
#pragma omp section
        {
            omp_set_lock(&lock);
            sum += 1;  // race: sum
            omp_unset_lock(&lock);
        }
#pragma omp section
        {
            omp_set_lock(&second);
            sum += 2;  // race: sum
            omp_unset_lock(&second);
        }
    }
#elif CASE == 12  // atomic beside critical
#pragma omp parallel sections num_threads(2)  // race: sum
    {
#pragma omp section
        {
#pragma omp atomic
            sum += 1;  // race: sum
        }
#pragma omp section
        {
#pragma omp critical
            sum += 2;  // race: sum
        }
    }
#elif CASE == 13  // a reduction that is read before its barrier
#pragma omp parallel
    {
        local = 0;  // race: local
#pragma omp for reduction(+ : local)  // race: local maybe
        for (i = 0; i < N; i++) local += i;  // race: local maybe
    }
#elif CASE == 14
#pragma omp parallel
    {
#pragma omp single
        local = 0;
#pragma omp for reduction(+ : local)
        for (i = 0; i < N; i++) local += i;
#pragma omp single
        sum = local;
    }
#elif CASE == 15  // a reduction without the barrier at its end
#pragma omp parallel
    {
#pragma omp for reduction(+ : sum) nowait  // race: sum
        for (i = 0; i < N; i++) sum += i;  // race: sum
        KEEP;
        a[omp_get_thread_num()] = sum;     // race: sum
    }
#elif CASE == 16  // two loops of one schedule without barrier: each thread has its own elements
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (i = 0; i < N; i++) a[i] = i;
#pragma omp for schedule(static)
        for (i = 0; i < N; i++) b[i] = a[i];
    }
#elif CASE == 17  // the variable that single makes after a loop without barrier
#pragma omp parallel
    {
#pragma omp for nowait
        for (i = 0; i < N; i++) a[i] = i;  // race: a
#pragma omp single
        x = a[9] + a[N - 1];  // race: a
    }
#elif CASE == 18
#pragma omp parallel
    {
#pragma omp for nowait
        for (i = 0; i < N; i++) a[i] = i;
#pragma omp barrier
#pragma omp single
        x = a[9] + a[N - 1];
    }
#elif CASE == 19  // master, no barrier
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        {
            x = 5;  // race: x
        }
        a[omp_get_thread_num()] = x;  // race: x
    }
#elif CASE == 20  // nested teams use one variable
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    sum++;  // race: sum
#elif CASE == 21  // nested: inner barrier does not wait for the other team
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int team = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0) a[team] = team;  // race: a
#pragma omp barrier
            b[team * 2 + omp_get_thread_num()] = a[1 - team];  // race: a
        }
    }
#elif CASE == 22  // nested loops in teams: each has its row
    omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
    for (int r = 0; r < 10; r++)
#pragma omp parallel for num_threads(2)
        for (int c = 0; c < 10; c++) a[r * 10 + c] = r + c;
#elif CASE == 23  // target on the host
#pragma omp target map(tofrom : a)
#pragma omp parallel for
    for (i = 0; i < N; i++)
        a[i] = a[i + 1] + 1;  // race: a
#elif CASE == 24
#pragma omp target map(tofrom : a)
#pragma omp parallel for
    for (i = 0; i < N; i++) a[i] = a[i] + 1;
#elif CASE == 25  // teams distribute
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (i = 0; i < N; i++) a[i] = i;
#elif CASE == 26  // a sum of teams
#pragma omp target map(tofrom : local)
#pragma omp teams distribute parallel for
    for (i = 0; i < N; i++)
        local += i;  // race: local
#elif CASE == 27
#pragma omp target teams distribute parallel for map(tofrom : local) reduction(+ : local)
    for (i = 0; i < N; i++) local += i;
#elif CASE == 28  // sections of one team and a lock in a function
#pragma omp parallel for
    for (i = 0; i < N; i++) update(i);
#elif CASE == 29  // atomic capture
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        int at;
#pragma omp atomic capture
        at = local++;
        a[at] = i;
    }
#elif CASE == 30  // a place counted by a plain sum in critical, used outside
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        int at;
#pragma omp critical
        at = local++;
        a[at] = i;
    }
#elif CASE == 31  // copyprivate and threadprivate
#pragma omp parallel
    {
#pragma omp single copyprivate(kept)
        kept = 5;
        a[omp_get_thread_num()] = kept;
    }
#elif CASE == 32  // copyin
    kept = 3;
#pragma omp parallel copyin(kept)
    a[omp_get_thread_num()] = kept;
#elif CASE == 33  // first values of sections
#pragma omp parallel sections firstprivate(local)
    {
#pragma omp section
        local += 1;
#pragma omp section
        local += 2;
    }
#elif CASE == 34  // last value of sections
#pragma omp parallel sections lastprivate(local)
    {
#pragma omp section
        local = 1;
#pragma omp section
        local = 2;
    }
#elif CASE == 35  // sections that share
#pragma omp parallel sections  // race: local
    {
#pragma omp section
        local = 1;  // race: local
#pragma omp section
        local = 2;  // race: local
    }
#elif CASE == 36  // single that all leave at once, then a plain sum
#pragma omp parallel
    {
#pragma omp single
        x = 1;
        sum += x;  // race: sum
    }
#elif CASE == 37  // the critical section protects the store, not the load
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        if (a[i % 7] + i > most) {  // race: most
#pragma omp critical
            most = i;  // race: most
        }
    }
#elif CASE == 38  // a test of a lock
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        while (!omp_test_lock(&lock)) {}
        sum += i;
        omp_unset_lock(&lock);
    }
#elif CASE == 39  // a reduction on an array section
    int bins[10] = {0};
#pragma omp parallel for reduction(+ : bins[ : 10])
    for (i = 0; i < N; i++) bins[i % 10] += i;
    sum = bins[3];
#elif CASE == 40  // the same without
#pragma omp parallel for
    for (i = 0; i < N; i++)
        b[i % 10] += i;  // race: b
#elif CASE == 41  // an inner sum by critical, its outer one is plain
#pragma omp parallel
    {
        int mine = 0;
#pragma omp for
        for (i = 0; i < N; i++) mine += i;
#pragma omp critical
        sum += mine;
    }
#elif CASE == 42
#pragma omp parallel
    {
        int mine = 0;
#pragma omp for nowait
        for (i = 0; i < N; i++) mine += i;
        sum += mine;  // race: sum
    }
#elif CASE == 43  // doacross without its source of the right iteration
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
        a[i] = a[i - 1] + 1;  // race: a
#pragma omp ordered depend(source)
    }
#elif CASE == 44  // dynamic schedule with a sum
#pragma omp parallel for schedule(dynamic)
    for (i = 0; i < N; i++)
        sum += i;  // race: sum
#elif CASE == 45  // guided, neighbours
#pragma omp parallel for schedule(guided, 2)
    for (i = 0; i < N; i++)
        a[i] = a[i + 1] + i;  // race: a
#elif CASE == 46  // a flag with flush and plain accesses, polled
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            x = 1;  // race: x maybe
#pragma omp flush
#pragma omp atomic write
            flag = 1;  // race: flag maybe
        }
#pragma omp section
        {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read
                seen = flag;  // race: flag maybe
            }
#pragma omp flush
            a[0] = x;  // race: x maybe
        }
    }
#endif
    printf("%d %d %d %d %d %d\n", a[1], b[1], sum, local, x, most + on_device);
    omp_destroy_lock(&lock);
    return 0;
}
