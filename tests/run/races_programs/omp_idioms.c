// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Idioms of OpenMP programs: indirect and strided accesses, privates that are missing, atomics as flags, locks of
// tables, tasks that divide and conquer, wavefronts, pipelines, things that each thread has.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 240, M = 16 };
int a[2 * N + 2], b[N + 1], at[N], bins[M], ready, data, best, where, count, seed;
double grid[M + 2][M + 2], norm, scale;
static int own;
#pragma omp threadprivate(own)
static omp_lock_t locks[M];
struct node {
    int value, sum;
    struct node *left, *right;
};
static struct node* build(int depth) {
    struct node* made = calloc(1, sizeof *made);
    made->value = depth;
    if (depth > 0) {
        made->left = build(depth - 1);
        made->right = build(depth - 1);
    }
    return made;
}
static int value_of(int i) {
    KEEP;
    return i * 7 % M;
}
#if CASE == 17 || CASE == 18
static int sum_of(struct node* n) {
#if CASE == 17
    int left = 0, right = 0;
    if (n->left == NULL) return n->value;
#pragma omp task shared(left)
    left = sum_of(n->left);
#pragma omp task shared(right)
    right = sum_of(n->right);
#pragma omp taskwait
    n->sum = left + right + n->value;
#else
    if (n->left == NULL) return n->sum = n->value;  // race(18): sum
#pragma omp task
    sum_of(n->left);
#pragma omp task
    sum_of(n->right);
    n->sum = n->left->sum + n->right->sum + n->value;  // race(18): sum
#endif
    return n->sum;
}
#endif
int main(void) {
    int i, j, tmp = 0, last = 0;
    struct node* tree = build(4);
    for (i = 0; i < N; i++) at[i] = i * 2 % N;
    for (i = 0; i < M; i++) omp_init_lock(&locks[i]);
#if CASE == 1  // two indices lead to one element
#pragma omp parallel for num_threads(4) schedule(static, 8)
    for (i = 0; i < N; i++) a[at[i]] += i;  // race: a
#elif CASE == 2  // an index for each
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N / 2; i++) a[at[i]] += i;
#elif CASE == 3  // strides that do not meet
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (i = 0; i < N; i++) a[2 * i] = a[2 * i + 1] + 1;
#elif CASE == 4  // strides that do
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (i = 0; i < N; i++) a[2 * i] = a[i] + 1;  // race: a
#elif CASE == 5  // a temporary that all share
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (i = 0; i < N; i++) {
        tmp = b[i] + i;  // race: tmp
        KEEP;
        a[i] = tmp;  // race: tmp
    }
#elif CASE == 6  // the last value is wanted, of a variable of each thread
#pragma omp parallel for num_threads(4) lastprivate(last) private(tmp)
    for (i = 0; i < N; i++) {
        tmp = b[i] + i;
        last = tmp;
    }
#elif CASE == 7  // each bin has its lock
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
        int k = value_of(i);
        omp_set_lock(&locks[k]);
        bins[k]++;
        omp_unset_lock(&locks[k]);
    }
#elif CASE == 8  // the lock of another bin: all threads take it now and then, which orders them in this run
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
        int k = value_of(i);
        omp_set_lock(&locks[i % 4 == 0 ? 0 : k]);
        bins[k]++;  // race: bins maybe
        omp_unset_lock(&locks[i % 4 == 0 ? 0 : k]);
    }
#elif CASE == 9  // the histogram of each thread is added under a lock
#pragma omp parallel num_threads(4)
    {
        int mine[M] = {0};
#pragma omp for nowait
        for (i = 0; i < N; i++) mine[value_of(i)]++;
#pragma omp critical
        for (int k = 0; k < M; k++) bins[k] += mine[k];
    }
#elif CASE == 10  // a reader that waits for an atomic flag, or finds it set
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 42;
#pragma omp atomic write seq_cst
            ready = 1;
        } else {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read seq_cst
                seen = ready;
            }
            a[0] = data;
        }
    }
#elif CASE == 11  // written atomically, read plainly
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp atomic write
            ready = 1;  // race: ready
        } else {
            a[0] = ready;  // race: ready
        }
    }
#elif CASE == 12  // atomic stores and loads of what nobody waits for
#pragma omp parallel num_threads(4)
    {
        int seen;
#pragma omp atomic write
        ready = omp_get_thread_num();
#pragma omp atomic read
        seen = ready;
        b[omp_get_thread_num()] = seen;
    }
#elif CASE == 13  // a maximum, looked at outside of the lock
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
        if (value_of(i) >= best) {  // race: best
#pragma omp critical
            best = value_of(i);  // race: best
        }
    }
#elif CASE == 14  // a maximum and its place, under the lock
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
#pragma omp critical
        if (value_of(i) > best) {
            best = value_of(i);
            where = i;
        }
    }
#elif CASE == 15  // a stencil in place
#pragma omp parallel for num_threads(4) private(j)
    for (i = 1; i <= M; i++)
        for (j = 1; j <= M; j++) grid[i][j] = (grid[i - 1][j] + grid[i + 1][j]) / 2;  // race: grid
#elif CASE == 16  // red and black rows, one after the other
    for (int colour = 0; colour < 2; colour++) {
#pragma omp parallel for num_threads(4) private(j)
        for (i = 1 + colour; i <= M; i += 2)
            for (j = 1; j <= M; j++) grid[i][j] = (grid[i - 1][j] + grid[i + 1][j]) / 2;
    }
#elif CASE == 17 || CASE == 18  // 18: nobody waits for the halves
#pragma omp parallel num_threads(4)
#pragma omp single
    count = sum_of(tree);
#elif CASE == 19  // a wavefront by dependences
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int r = 1; r <= M; r++)
        for (int c = 1; c <= M; c++) {
#pragma omp task depend(in : grid[r - 1][c], grid[r][c - 1]) depend(out : grid[r][c])
            grid[r][c] = grid[r - 1][c] + grid[r][c - 1] + 1;
        }
#elif CASE == 20  // one dependence is missing
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int r = 1; r <= M; r++)
        for (int c = 1; c <= M; c++) {
#pragma omp task depend(in : grid[r - 1][c]) depend(out : grid[r][c])
            grid[r][c] = grid[r - 1][c] + grid[r][c - 1] + 1;  // race: grid
        }
#elif CASE == 21  // a norm without a reduction
#pragma omp parallel for num_threads(4)  // race: norm
    for (i = 0; i < N; i++) norm += a[i] * 0.5;  // race: norm
#elif CASE == 22  // with one, then scaled by it behind the barrier
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(+ : norm)
        for (i = 0; i < N; i++) norm += a[i] * 0.5;
#pragma omp single
        scale = norm + 1;
#pragma omp for
        for (i = 0; i < N; i++) b[i] = (int)scale;
    }
#elif CASE == 23  // the same, the single does not wait
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(+ : norm)
        for (i = 0; i < N; i++) norm += a[i] * 0.5;
#pragma omp single nowait
        scale = norm + 1;  // race: scale
#pragma omp for  // race: scale
        for (i = 0; i < N; i++) b[i] = (int)scale;  // race: scale
    }
#elif CASE == 24  // a generator of random numbers that all share
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
        seed = seed * 1103515245 + 12345;  // race: seed
        KEEP;
        a[i] = seed;  // race: seed
    }
#elif CASE == 25  // one for each thread
#pragma omp parallel num_threads(4)
    {
        own = omp_get_thread_num();
#pragma omp for
        for (i = 0; i < N; i++) {
            own = own * 1103515245 + 12345;
            a[i] = own;
        }
    }
#elif CASE == 26  // a ticket for each, by an atomic capture
#pragma omp parallel num_threads(4)
    for (int k = 0; k < 10; k++) {
        int mine;
#pragma omp atomic capture
        mine = count++;
        a[mine] = k;
    }
#elif CASE == 27  // a ticket without
#pragma omp parallel num_threads(4)
    for (int k = 0; k < 10; k++) {
        int mine = count++;  // race: count
        KEEP;
        a[mine] = k;  // race: a maybe
    }
#elif CASE == 28  // sections hand on what they made
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        for (int k = 0; k < N; k++) a[k] = k;  // race: a
#pragma omp section
        for (int k = 0; k < N; k++) b[k] = a[k];  // race: a
    }
#elif CASE == 29  // a loop in simd lanes and threads, each its own elements
#pragma omp parallel for simd num_threads(4)
    for (i = 0; i < N; i++) a[i] = b[i] * 2;
#elif CASE == 30  // a group waits for the children of its tasks, a taskwait does not
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            data = 1;  // race: data
        }
#pragma omp taskwait
        b[0] = data;  // race: data
    }
#elif CASE == 31
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                data = 1;
            }
        }
        b[0] = data;
    }
#elif CASE == 32  // rows that all threads sum, each at once
#pragma omp parallel for num_threads(4) collapse(2) schedule(static, 3)
    for (i = 0; i < M; i++)
        for (j = 0; j < M; j++) bins[i] += (int)grid[i][j] + 1;  // race: bins
#endif
    printf("%d %d %d %d %d %d %d %d\n", a[1], b[1], bins[1], best, where, last, tmp, tree->sum);
    return count + data + ready > 1000000 || norm + scale + grid[1][1] > 1e9;
}
