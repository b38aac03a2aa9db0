// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// What waits for what in OpenMP: barriers, tasks and their dependences, teams, ordered loops, locks, flags; beside each
// correct program one that waits for too little.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 64 };
static int a[N], b[N], x, y, sum, flag;
static int mine;
#pragma omp threadprivate(mine)
static omp_lock_t locks[4];
static int fib(int n) {
    int left, right;
    if (n < 2) return n;
#pragma omp task shared(left) depend(out : left)
    left = fib(n - 1);
#pragma omp task shared(right) depend(out : right)
    right = fib(n - 2);
#if CASE == 1
#pragma omp task shared(x, left, right) depend(in : left, right) depend(out : x)
    x = left + right;  // race: x
#pragma omp taskwait
#else
#pragma omp taskwait
#endif
    return left + right;
}
typedef struct Tree { struct Tree *left, *right; int value; } Tree;
static int visits;
static Tree* tree_of(int depth) {
    Tree* tree = calloc(1, sizeof *tree);
    if (depth > 0) {
        tree->left = tree_of(depth - 1);
        tree->right = tree_of(depth - 1);
    }
    return tree;
}
static void visit(Tree* tree) {
    if (!tree) return;
#pragma omp task
    visit(tree->left);
#pragma omp task
    visit(tree->right);
    tree->value++;
#if CASE == 3
#pragma omp atomic
    visits++;
#elif CASE == 4
    visits++;  // race: visits
#endif
}
int main(void) {
    for (int i = 0; i < 4; i++) omp_init_lock(&locks[i]);
#if CASE == 1 || CASE == 2  // 1: a shared result of all calls, which no dependence of siblings orders
#pragma omp parallel
#pragma omp single
    sum = fib(7);
#elif CASE == 3 || CASE == 4  // a tree in tasks, visits are counted
    Tree* root = tree_of(4);
#pragma omp parallel
#pragma omp single
    visit(root);
    sum = visits;
#elif CASE == 5  // the task's value is waited for by the barrier
#pragma omp parallel num_threads(3)
    {
#pragma omp single nowait
        {
#pragma omp task
            x = 1;
        }
#pragma omp barrier
        a[omp_get_thread_num()] = x;
    }
#elif CASE == 6  // it is not
#pragma omp parallel num_threads(3)
    {
#pragma omp single nowait
        {
#pragma omp task
            {
                usleep(1000);
                x = 1;  // race: x
            }
        }
        a[omp_get_thread_num()] = x;  // race: x
    }
#elif CASE == 7  // out, then two in, then out
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(in : x)
        a[0] = x;
#pragma omp task depend(in : x)
        a[1] = x;
#pragma omp task depend(out : x)
        x = 2;
    }
#elif CASE == 8  // the last one depends on something else
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;  // race: x
#pragma omp task depend(in : x)
        a[0] = x;  // race: x
#pragma omp task depend(in : x)
        a[1] = x;  // race: x
#pragma omp task depend(out : y)
        x = 2;  // race: x
    }
#elif CASE == 9  // elements of an array as dependences: a matrix of blocks
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int step = 0; step < 3; step++)
        for (int i = 1; i < 8; i++)
#pragma omp task depend(in : a[i - 1]) depend(inout : a[i])
            a[i] += a[i - 1];
#elif CASE == 10  // the left one is not named
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int step = 0; step < 3; step++)
        for (int i = 1; i < 8; i++)
#pragma omp task depend(inout : a[i])
            a[i] += a[i - 1];  // race: a
#elif CASE == 11  // two teams on the device, each its half
#pragma omp target teams num_teams(2) map(tofrom : a)
    {
        int team = omp_get_team_num();
        for (int i = 0; i < N / 2; i++) a[team * N / 2 + i] = i;
    }
#elif CASE == 12  // what both teams store to; gcc runs them one after the other
#pragma omp target teams num_teams(2) map(tofrom : x)
    x = omp_get_team_num();  // race: x maybe
#elif CASE == 13
#pragma omp target map(tofrom : a)
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < N; i++) a[i] += i;
#elif CASE == 14  // a region on the device with a dependence
#pragma omp target map(tofrom : a)
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int i = 1; i < N; i++) a[i] = a[i - 1] + 1;  // race: a
#elif CASE == 15  // taskloop waits at its end
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskloop grainsize(4)
        for (int i = 0; i < N; i++) a[i] = i;
#pragma omp taskloop grainsize(4)
        for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];
    }
#elif CASE == 16  // nogroup does not
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskloop grainsize(4) nogroup
        for (int i = 0; i < N; i++) a[i] = i;  // race: a
#pragma omp taskloop grainsize(4)
        for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];  // race: a
    }
#elif CASE == 17  // taskloop with neighbours
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop grainsize(4)  // race: a
    for (int i = 1; i < N; i++) a[i] = a[i - 1];  // race: a
#elif CASE == 18  // two loops at once by doacross
#pragma omp parallel for num_threads(3) ordered(2)
    for (int i = 1; i < 8; i++)
        for (int j = 1; j < 8; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            a[i * 8 + j] = a[(i - 1) * 8 + j] + a[i * 8 + j - 1];
#pragma omp ordered depend(source)
        }
#elif CASE == 19  // ordered, with the work outside of it each iteration's own
#pragma omp parallel for num_threads(3) ordered schedule(dynamic)
    for (int i = 0; i < N; i++) {
        int square = a[i] * a[i];
#pragma omp ordered
        sum += square;
    }
#elif CASE == 20  // the sum is before
#pragma omp parallel for num_threads(3) ordered schedule(static, 1)
    for (int i = 0; i < N; i++) {
        sum += i;  // race: sum
        KEEP;
#pragma omp ordered
        b[i] = i;
    }
#elif CASE == 21  // locks of an array, by place
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < N; i++) {
        omp_set_lock(&locks[i % 4]);
        a[i % 4] += i;
        omp_unset_lock(&locks[i % 4]);
    }
#elif CASE == 22  // another lock for the same place: never contended, each thread its own
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
        for (int i = 0; i < N; i++) {
            omp_set_lock(&locks[me]);
            a[0] += i;  // race: a
            omp_unset_lock(&locks[me]);
        }
    }
#elif CASE == 23  // the least under critical
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < N; i++)
        if (i % 5 == 2) {
#pragma omp critical(found)
            if (x == 0 || i < x) x = i;
        }
#elif CASE == 24  // a quick look before it
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < N; i++)
        if (x == 0 || i < x) {  // race: x
#pragma omp critical(found)
            x = i;  // race: x
        }
#elif CASE == 25  // copyin
    mine = 5;
#pragma omp parallel num_threads(3) copyin(mine)
    a[omp_get_thread_num()] = mine++;
#elif CASE == 26  // what copyprivate hands on
#pragma omp parallel num_threads(3)
    {
        int value;
#pragma omp single copyprivate(value)
        {
            x = 7;
            value = x;
        }
        a[omp_get_thread_num()] = value + x;
    }
#elif CASE == 27  // single nowait: others do not wait for it
#pragma omp parallel num_threads(3)
    {
#pragma omp single nowait
        x = 7;  // race: x
        a[omp_get_thread_num()] = x;  // race: x
    }
#elif CASE == 28  // sections of two steps, with a barrier at the end of the first ones
#pragma omp parallel num_threads(3)
    {
#pragma omp sections
        {
#pragma omp section
            x = 1;
#pragma omp section
            y = 2;
        }
#pragma omp sections
        {
#pragma omp section
            a[0] = x + y;
#pragma omp section
            a[1] = x - y;
        }
    }
#elif CASE == 29  // without
#pragma omp parallel num_threads(3)
    {
#pragma omp sections nowait  // race: x y
        {
#pragma omp section
            x = 1;  // race: x
#pragma omp section
            y = 2;  // race: y
        }
#pragma omp sections  // race: x y
        {
#pragma omp section
            a[0] = x + y;  // race: x y
#pragma omp section
            a[1] = x - y;  // race: x y
        }
    }
#elif CASE == 30  // task reduction
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 8; i++)
#pragma omp task in_reduction(+ : sum)
        sum += i;
#elif CASE == 31  // the task's private copy, made when it was
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 8; i++) {
        x = i;
#pragma omp task firstprivate(x)
        a[i] = x;
    }
#elif CASE == 32  // shared instead
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 8; i++) {
        x = i;  // race: x
#pragma omp task shared(x)
        a[i] = x;  // race: x
    }
#elif CASE == 33  // a flag by atomic accesses in words of their own, the data behind it
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            x = 42;
#pragma omp atomic write release
            flag = 1;
        }
#pragma omp section
        {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read acquire
                seen = flag;
            }
            a[0] = x;
        }
    }
#elif CASE == 34  // the data are stored behind the flag
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
#pragma omp atomic write
            flag = 1;
            KEEP;
            x = 42;  // race: x
        }
#pragma omp section
        {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read
                seen = flag;
            }
            a[0] = x;  // race: x
        }
    }
#elif CASE == 35  // an inner team's sum, by reduction in both
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 4; i++) {
        int inner = 0;
#pragma omp parallel for num_threads(2) reduction(+ : inner)
        for (int j = 0; j < 4; j++) inner += i * j;
        sum += inner;
    }
#elif CASE == 36  // the inner variable is the outer function's
    int inner = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 4; i++) {
        inner = 0;  // race: inner
#pragma omp parallel for num_threads(2) reduction(+ : inner)  // race: inner
        for (int j = 0; j < 4; j++) inner += i * j;           // race: inner
        sum += inner;                                         // race: inner
    }
#elif CASE == 37  // an array section as reduction
    int* bins = a;
#pragma omp parallel for num_threads(3) reduction(+ : bins[0 : 4])
    for (int i = 0; i < N; i++) bins[i % 4] += i;
#elif CASE == 38  // taskwait with depend waits for that one only
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(out : y)  // race: y
        {  // race: y
            usleep(1000);  // race: y
            y = 1;  // race: y
        }
#pragma omp taskwait depend(in : x)
        a[0] = x;  // race: y
        a[1] = y;  // race: y
    }
#elif CASE == 39  // distribute over teams, threads in each
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : a, b)
    for (int i = 0; i < N; i++) a[i] = b[i] + 1;
#elif CASE == 40  // a sum that no reduction protects
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : sum)
    for (int i = 0; i < N; i++) sum += i;  // race: sum
#endif
    unsigned all = 0;
    for (int i = 0; i < N; i++) all = all * 3 + (unsigned)(a[i] + 7 * b[i]);
    printf("%u %d %d %d %d\n", all, x, y, sum, flag);
    return 0;
}
