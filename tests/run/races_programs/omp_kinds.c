// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Each construct of OpenMP twice: as it is meant, and with the mistake that is usual there.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 120, M = 12 };
static int a[N + 8], b[N + 8], index_of[N], grid[M][M], sum, flag, data, results[16];
static double x[N + 8], y[N + 8], total;
static int own;
#pragma omp threadprivate(own)
static omp_lock_t lock;
static omp_nest_lock_t nest;
static void add_to(int* to, int by) { *to += by; }
__attribute__((noinline)) static int counted(void) {
    static int calls;
    return ++calls;  // race(9): calls
}
__attribute__((noinline)) static void add_twice(int by) {
    omp_set_nest_lock(&nest);
    sum += by;
    omp_set_nest_lock(&nest);
    sum += by;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
}
__attribute__((noinline)) static void walk(int depth) {
    if (depth == 0) return;
#pragma omp task
    walk(depth - 1);
    results[depth] = depth;  // race(31): depth
#pragma omp task
    walk(depth - 1);
#pragma omp taskwait
}

int main(void) {
    int local = 0, last = 0;
    int* block = calloc(N + 8, sizeof *block);
    for (int i = 0; i < N; i++) index_of[i] = i * 7 % N;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#if CASE == 1  // threads and lanes, a distance of eight
#pragma omp parallel for simd safelen(8) num_threads(4)
    for (int i = 8; i < N; i++) a[i] = a[i - 8] + 1;  // race: a
#elif CASE == 2  // lanes alone
#pragma omp simd safelen(8)
    for (int i = 8; i < N; i++) a[i] = a[i - 8] + 1;
#elif CASE == 3  // a device's copy goes back behind the region
#pragma omp target map(tofrom : sum)
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += i;
    results[0] = sum;
#elif CASE == 4  // threads of a device share what is mapped
#pragma omp target map(tofrom : sum)
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        sum += i;  // race: sum
        KEEP;
    }
#elif CASE == 5  // loops of a team, all in one construct
#pragma omp target teams distribute parallel for map(tofrom : a) num_teams(2) thread_limit(4)
    for (int i = 0; i < N; i++) a[i] = i;
#elif CASE == 6  // the next one's element
#pragma omp target teams distribute parallel for map(tofrom : a) num_teams(1) thread_limit(4)
    for (int i = 0; i < N; i++) a[i] = a[i + 1] + 1;  // race: a
#elif CASE == 7  // the target does not wait, the host does
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target map(tofrom : data) nowait
        data = 3;
#pragma omp taskwait
        results[0] = data;
    }
#elif CASE == 8  // a count that is kept in a function
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
#pragma omp critical
        counted();
    }
#elif CASE == 9
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) counted();
#elif CASE == 10  // two loops of one region, in the same shares
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++) a[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) b[i] = a[i] + 1;
    }
#elif CASE == 11  // in other shares
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static, 3) nowait
        for (int i = 0; i < N; i++) a[i] = i;  // race: a
#pragma omp for schedule(static, 5)
        for (int i = 0; i < N; i++) b[i] = a[i] + 1;  // race: a
    }
#elif CASE == 12  // the last value, conditionally
#pragma omp parallel for num_threads(4) lastprivate(last)
    for (int i = 0; i < N; i++) last = a[i] + i;
    results[0] = last;
#elif CASE == 13  // it is shared
#pragma omp parallel for num_threads(4) shared(last)
    for (int i = 0; i < N; i++) {
        last = a[i] + i;  // race: last
        KEEP;
    }
    results[0] = last;
#elif CASE == 14  // a part of an array is summed
#pragma omp parallel for num_threads(4) reduction(+ : results[ : 4])
    for (int i = 0; i < N; i++) results[i % 4] += i;
#elif CASE == 15
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        results[i % 4] += i;  // race: results
        KEEP;
    }
#elif CASE == 16  // tasks that sum in a group
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
    }
#elif CASE == 17  // beside the group
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(i)
        {
            sum += i;  // race: sum
            KEEP;
        }
    }
#elif CASE == 18  // found: the others give up
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        if (index_of[i] == 49) {
#pragma omp atomic write
            flag = i;
#pragma omp cancel for
        }
    }
    results[0] = flag;
#elif CASE == 19  // what was found is told without order
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        if (index_of[i] % 5 == 0) {
            flag = i;  // race: flag
            KEEP;
#pragma omp cancel for
        }
    }
#elif CASE == 20  // the captured value is a place of its own
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        int at;
#pragma omp atomic capture
        at = sum++;
        block[at] = i;
    }
#elif CASE == 21  // all places are that before the last
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        int at;
#pragma omp atomic capture
        at = sum++;
        block[at / 2] = i;  // race: block maybe
    }
#elif CASE == 22  // a lock that its owner may take again
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) add_twice(i);
#elif CASE == 23  // the second sum comes after the last release
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        omp_set_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        sum += i;  // race: sum
        KEEP;
    }
#elif CASE == 24  // single without its barrier, then a barrier
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        data = 3;
#pragma omp barrier
        results[omp_get_thread_num()] = data;
    }
#elif CASE == 25
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        data = 3;  // race: data
        results[omp_get_thread_num()] = data;  // race: data
    }
#elif CASE == 26  // master and its barrier
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        data = 4;
#pragma omp barrier
        results[omp_get_thread_num()] = data;
    }
#elif CASE == 27
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        data = 4;  // race: data
        results[omp_get_thread_num()] = data;  // race: data
    }
#elif CASE == 28  // wavefront in tasks
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 1; i < M; i++)
        for (int k = 1; k < M; k++) {
#pragma omp task depend(in : grid[i - 1][k], grid[i][k - 1]) depend(out : grid[i][k])
            grid[i][k] = grid[i - 1][k] + grid[i][k - 1] + 1;
        }
#elif CASE == 29  // the left neighbour is no dependence
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 1; i < M; i++)
        for (int k = 1; k < M; k++) {
#pragma omp task depend(in : grid[i - 1][k]) depend(out : grid[i][k])
            grid[i][k] = grid[i - 1][k] + grid[i][k - 1] + 1;  // race: grid
        }
#elif CASE == 30 || CASE == 31  // tasks of tasks
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#if CASE == 31
        walk(3);
#else
#pragma omp task
        results[0] = 1;
#pragma omp task
        results[1] = 1;
#endif
    }
#elif CASE == 32  // doacross over two loops
#pragma omp parallel for ordered(2) num_threads(4)
    for (int i = 1; i < M; i++)
        for (int k = 1; k < M; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
            grid[i][k] = grid[i - 1][k] + grid[i][k - 1] + 1;
#pragma omp ordered depend(source)
        }
#elif CASE == 33  // it waits for the diagonal only
#pragma omp parallel for ordered(2) schedule(static, 1) num_threads(4)
    for (int i = 1; i < M; i++)
        for (int k = 1; k < M; k++) {
#pragma omp ordered depend(sink : i - 1, k - 1)
            grid[i][k] = grid[i - 1][k] + 1;  // race: grid
#pragma omp ordered depend(source)
        }
#elif CASE == 34  // nested teams, each with a sum
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int mine = 0;
#pragma omp parallel for num_threads(2) reduction(+ : mine)
        for (int i = 0; i < N; i++) mine += i;
        results[omp_get_thread_num()] = mine;
    }
#elif CASE == 35  // each inner team is told which element is its outer thread's
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int mine = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        {
            results[mine] += mine;  // race: results
            KEEP;
        }
    }
#elif CASE == 36  // a variable of each thread, which keeps its value
#pragma omp parallel num_threads(4)
    own = omp_get_thread_num();
#pragma omp parallel num_threads(4)
    results[omp_get_thread_num()] = own;
#elif CASE == 37  // the first thread's is looked at by all
    int* first = &own;
#pragma omp parallel num_threads(4)
    {
        own = 5;  // race: own
        results[omp_get_thread_num()] = *first;  // race: own
        KEEP;
    }
#elif CASE == 38  // a block for each thread, by the number of threads
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num(), n = omp_get_num_threads(), size = N / n;
        for (int i = t * size; i < (t + 1) * size; i++) a[i] = i;
    }
#elif CASE == 39  // and one element more
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num(), n = omp_get_num_threads(), size = N / n;
        for (int i = t * size; i <= (t + 1) * size; i++) {
            a[i] = i;  // race: a
        }
    }
#elif CASE == 40  // an array whose length is known late
    int length = N - (results[0] != 0);
    int late[length];
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < length; i++) late[i] = i;
    results[0] = late[3];
#elif CASE == 41
    int length = N - (results[0] != 0);
    int late[length];
    late[0] = 1;
#pragma omp parallel for num_threads(4)
    for (int i = 1; i < length; i++) late[i] = late[i - 1] + 1;  // race: late
    results[0] = late[3];
#elif CASE == 42  // a pointer's copy for each
    int* at = block;
#pragma omp parallel for num_threads(4) firstprivate(at)
    for (int i = 0; i < N; i++) at[i] = i;
#elif CASE == 43  // the pointer moves, for all
    int* at = block;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        *at = i;  // race: at block maybe
        at++;     // race: at
        KEEP;
    }
#elif CASE == 44  // sections of one loop
#pragma omp parallel num_threads(4)
#pragma omp for ordered
    for (int i = 0; i < 20; i++) {
        b[i] = i;
#pragma omp ordered
        add_to(&sum, b[i]);
    }
#elif CASE == 45  // without `ordered`
#pragma omp parallel num_threads(4)
#pragma omp for
    for (int i = 0; i < 20; i++) {
        b[i] = i;
        sum = sum * 2 + b[i];  // race: sum
        KEEP;
    }
#elif CASE == 46  // the greatest, under the directive
#pragma omp parallel for num_threads(4) reduction(max : last)
    for (int i = 0; i < N; i++)
        if (index_of[i] > last) last = index_of[i];
#elif CASE == 47  // by hand
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++)
        if (index_of[i] > data) {  // race: data
            data = index_of[i];    // race: data
            KEEP;
        }
#elif CASE == 48  // an event ends the task
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : data)
        omp_fulfill_event(event);
#pragma omp task depend(in : data)
        results[0] = data;
#pragma omp taskwait
        data = 1;
    }
#elif CASE == 49  // many readers, then a writer, by dependences
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : data)
        data = 1;
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : data) firstprivate(i)
            results[i] = data;
        }
#pragma omp task depend(inout : data)
        data++;
    }
#elif CASE == 50  // the last one says `in`
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : data)
        data = 1;
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : data) firstprivate(i)
            results[i] = data;  // race: data
        }
#pragma omp task depend(in : data)
        {
            data++;  // race: data
        }
    }
#elif CASE == 51  // one flag each, set and polled, with flush
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 5;
#pragma omp flush
#pragma omp atomic write
            flag = 1;
        } else {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read
                seen = flag;
            }
#pragma omp flush
            results[0] = data;
        }
    }
#elif CASE == 52  // the value is stored behind the flag
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp atomic write
            flag = 1;
            KEEP;
            data = 5;  // race: data
        } else {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read
                seen = flag;
            }
            results[0] = data;  // race: data
        }
    }
#elif CASE == 53  // collapsed, each element once
#pragma omp parallel for collapse(2) num_threads(4)
    for (int i = 0; i < M; i++)
        for (int k = 0; k < M; k++) grid[i][k] = i * k;
#elif CASE == 54  // collapsed, but rows depend
#pragma omp parallel for collapse(2) num_threads(5)
    for (int i = 0; i < M; i++)
        for (int k = 1; k < M; k++) grid[i][k] = grid[i][k - 1] + 1;  // race: grid
#elif CASE == 55  // the place comes from a table that has each once
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) x[index_of[i]] = i;
#elif CASE == 56  // twice
    for (int i = 0; i < N; i++) index_of[i] = i / 2 * 7 % N;
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < N; i++) x[index_of[i]] += i;  // race: x
#elif CASE == 57  // two names of one block
    int *one = block, *two = block + N / 2;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N / 2; i++) one[i] = two[i] + 1;
#elif CASE == 58  // that overlap
    int *one = block, *two = block + 3;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) one[i] = two[i] + 1;  // race: block
#elif CASE == 59  // mutually exclusive tasks
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 6; i++) {
#pragma omp task depend(mutexinoutset : sum) firstprivate(i)
        sum += i;
    }
#elif CASE == 60  // one task has no part in it
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 6; i++) {
#pragma omp task depend(mutexinoutset : sum) firstprivate(i) if (i < 5)
        {
            sum += i;  // race: sum maybe
            KEEP;
        }
#pragma omp task depend(in : last)
        {
            sum += last;  // race: sum
            KEEP;
        }
    }
#elif CASE == 61  // steps, a copy and a barrier
#pragma omp parallel num_threads(4)
    for (int step = 0; step < 3; step++) {
#pragma omp for
        for (int i = 1; i < N; i++) y[i] = x[i - 1] + x[i + 1];
#pragma omp for
        for (int i = 1; i < N; i++) x[i] = y[i];
    }
#elif CASE == 62  // the first loop does not wait; gcc loads in vectors ahead of it
#pragma omp parallel num_threads(4)  // race: x
    for (int step = 0; step < 3; step++) {
#pragma omp for nowait
        for (int i = 1; i < N; i++) y[i] = x[i - 1] + x[i + 1];  // race: x
#pragma omp for
        for (int i = 1; i < N; i++) x[i] = y[i];  // race: x
    }
#elif CASE == 63  // the sum of a construct that ends with it
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(+ : total)
        for (int i = 0; i < N; i++) total += i;
        results[omp_get_thread_num()] = (int)total;
    }
#elif CASE == 64  // it is used before the end
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(+ : total) nowait  // race: total maybe
        for (int i = 0; i < N; i++) total += i;
        results[omp_get_thread_num()] = (int)total;  // race: total maybe
    }
#endif
    printf("%d %d %d %d %d %g %g\n", sum + data + flag, results[0] + results[1], local + last, a[3] + b[3] + grid[2][2], block[2], x[3] + y[2],
           total);
    free(block);
    return 0;
}
