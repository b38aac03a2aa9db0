// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Loops and constructs as small programs have them, a hundred or a thousand times each, in as many threads as there are: what
// `single` and sections do goes to whoever comes, and is to be told in each run.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
#define N 1000
#define M 100
static int work(int i) { return (i * 7919) % 1009; }
typedef struct {
    int count;
    double sum;
    double samples[8];
} Stats;
int main(void) {
    int len = N, i, j, k;
    omp_set_num_threads(4);
#if CASE == 1  // anti-dependence
    int a[N];
    for (i = 0; i < len; i++) a[i] = i;
#pragma omp parallel for
    for (i = 0; i < len - 1; i++) a[i] = a[i + 1] + 1;  // race: a
    printf("%d\n", a[500]);
#elif CASE == 2  // true dependence on a distance of half
    int a[N];
    for (i = 0; i < len; i++) a[i] = i;
#pragma omp parallel for
    for (i = 0; i < len / 2; i++) a[i + len / 2] = a[i] + 1;
    printf("%d\n", a[500]);
#elif CASE == 3  // output dependence on a scalar
    int a[N], x = 10;
#pragma omp parallel for  // race: x
    for (i = 0; i < len; i++) {
        KEEP;
        a[i] = x;  // race: x
        x = i;     // race: x
    }
    printf("%d %d\n", a[0], x);
#elif CASE == 4  // missing private
    int a[N], tmp;
    for (i = 0; i < len; i++) a[i] = i;
#pragma omp parallel for
    for (i = 0; i < len; i++) {
        tmp = a[i] + i;  // race: tmp
        a[i] = tmp;      // race: tmp
    }
    printf("%d\n", a[50]);
#elif CASE == 5
    int a[N], tmp;
    for (i = 0; i < len; i++) a[i] = i;
#pragma omp parallel for private(tmp)
    for (i = 0; i < len; i++) {
        tmp = a[i] + i;
        a[i] = tmp;
    }
    printf("%d\n", a[50]);
#elif CASE == 6  // indirect, of few values; one pair meets
    int index[180];
    double* base = calloc(2048, sizeof(double));
    for (i = 0; i < 180; i++) index[i] = 521 + i * 5;
    index[90] = index[10] + 12;
    index[91] = 0;
    double* x1 = base;
    double* x2 = base + 12;
#pragma omp parallel for
    for (i = 0; i < 180; i++) {
        int at = index[i];
        x1[at] += 1.0;  // race: base
        x2[at] += 3.0;  // race: base
    }
    printf("%f\n", x1[999]);
    free(base);
#elif CASE == 7  // lastprivate is missing
    int x;
#pragma omp parallel for
    for (i = 0; i < len; i++) x = i;  // race: x
    printf("%d\n", x);
#elif CASE == 8
    int x;
#pragma omp parallel for lastprivate(x)
    for (i = 0; i < len; i++) x = i;
    printf("%d\n", x);
#elif CASE == 9  // nowait
    int a[N], error, b = 5;
#pragma omp parallel shared(b, error)
    {
#pragma omp for nowait
        for (i = 0; i < len; i++) a[i] = b + i * 5;  // race: a
#pragma omp single
        error = a[9] + 1;  // race: a
    }
    printf("%d\n", error);
#elif CASE == 10
    int a[N], error, b = 5;
#pragma omp parallel shared(b, error)
    {
#pragma omp for
        for (i = 0; i < len; i++) a[i] = b + i * 5;
#pragma omp single
        error = a[9] + 1;
    }
    printf("%d\n", error);
#elif CASE == 11  // sections
    int s = 0;
#pragma omp parallel sections  // race: s
    {
#pragma omp section
        s = 1;  // race: s
#pragma omp section
        s = 2;  // race: s
    }
    printf("%d\n", s);
#elif CASE == 12  // master
    int nthreads = 0;
#pragma omp parallel
    {
#pragma omp master
        nthreads = omp_get_num_threads();  // race: nthreads
        if (nthreads == 77) puts("many");  // race: nthreads
    }
    printf("%d\n", nthreads);
#elif CASE == 13
    int nthreads = 0;
#pragma omp parallel
    {
#pragma omp master
        nthreads = omp_get_num_threads();
    }
    printf("%d\n", nthreads);
#elif CASE == 14  // single, with its barrier
    int nthreads = 0;
#pragma omp parallel
    {
#pragma omp single
        nthreads = omp_get_num_threads();
        if (nthreads == 77) puts("many");
    }
#elif CASE == 15  // three tasks, one dependence
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;  // race: x
#pragma omp task
        x = 2;  // race: x
    }
    printf("%d\n", x);
#elif CASE == 16
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(out : x)
        x = 2;
    }
    printf("%d\n", x);
#elif CASE == 17  // taskgroup with a nested task, which taskwait does not wait for
    int result = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            result = 1;  // race: result
        }
#pragma omp taskwait
        printf("%d\n", result);  // race: result
    }
#elif CASE == 18
    int result = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                result = 1;
            }
        }
        printf("%d\n", result);
    }
#elif CASE == 19  // target, one element
    double a[N];
    for (i = 0; i < len; i++) a[i] = i;
#pragma omp target map(tofrom : a[0 : len])
#pragma omp parallel for
    for (i = 0; i < len - 1; i++) a[i + 1] = a[i] * 2.0;  // race: a
    printf("%f\n", a[5]);
#elif CASE == 20  // critical of different names in sections
    int x = 0;
#pragma omp parallel sections
    {
#pragma omp section
        {
#pragma omp critical(one)
            x++;  // race: x
        }
#pragma omp section
        {
#pragma omp critical(two)
            x++;  // race: x
        }
    }
    printf("%d\n", x);
#elif CASE == 21  // inner variable shared
    static double a[M][M], b[M], c[M];
#pragma omp parallel for
    for (i = 0; i < M; i++)  // race: j
        for (j = 0; j < M; j++)  // race: j
            b[i] += a[i][j] * c[j];  // race: j
    printf("%f\n", b[3]);
#elif CASE == 22  // one iteration more
    int a[N + 2];
    memset(a, 0, sizeof a);
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num(), each = N / 4;
        for (int n = me * each; n <= (me + 1) * each; n++) a[n] = me;  // race: a
    }
    printf("%d\n", a[1]);
#elif CASE == 23  // copyprivate
    int x;
#pragma omp parallel private(x)
    {
#pragma omp single copyprivate(x)
        x = 7;
        if (x != 7) puts("no");
    }
#elif CASE == 24  // reading by index array, all equal in one place
    int idx[N], v[N];
    for (i = 0; i < N; i++) { idx[i] = i; v[i] = 0; }
    idx[N - 1] = 0;
#pragma omp parallel for
    for (i = 0; i < N; i++) v[idx[i]] += i;  // race: v
    printf("%d\n", v[0]);
#elif CASE == 25
    int idx[N], v[N];
    for (i = 0; i < N; i++) { idx[i] = (i * 3) % N; v[i] = 0; }
#pragma omp parallel for
    for (i = 0; i < N; i++) v[idx[i]] += i;
    printf("%d\n", v[0]);
#elif CASE == 26  // a struct's member shared
    Stats stats = {0};
#pragma omp parallel for
    for (i = 0; i < N; i++) {  // race: stats.count
        stats.count++;  // race: stats.count
        if (i < 8) stats.samples[i] = i;
    }
    printf("%d\n", stats.count);
#elif CASE == 27  // per-thread members
    Stats* stats = calloc(64, sizeof *stats);
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int n = 0; n < N; n++) {
            stats[me].count++;
            stats[me].sum += n;
        }
    }
    printf("%d\n", stats[0].count);
#elif CASE == 28  // taskwait depend on x only, y is read too
    int x = 0, y = 2;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp task shared(y)
        y--;  // race: y
#pragma omp task depend(in : x) if (0)
        {}
        printf("%d\n", x);
        printf("%d\n", y);  // race: y
    }
#elif CASE == 29
    int x = 0, y = 2;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp task depend(inout : y) shared(y)
        y--;
#pragma omp task depend(in : x, y) if (0)
        {}
        printf("%d\n", x);
        printf("%d\n", y);
    }
#elif CASE == 30  // firstprivate of a pointer: the pointee is shared
    int* p = calloc(4, sizeof *p);
#pragma omp parallel firstprivate(p)
    p[1]++;  // race: p
    printf("%d\n", p[1]);
#elif CASE == 31
    int v[4] = {0};
#pragma omp parallel firstprivate(v)
    v[1]++;
    printf("%d\n", v[1]);
#elif CASE == 32  // sections with three, one reads
    int a = 0, b = 0;
#pragma omp parallel sections
    {
#pragma omp section
        a = work(1);  // race: a
#pragma omp section
        b = work(2);
#pragma omp section
        printf("%d\n", a);  // race: a
    }
    printf("%d\n", b);
#elif CASE == 33  // lock in only one of two loops
    omp_lock_t l;
    int x = 0;
    omp_init_lock(&l);
#pragma omp parallel
    {
#pragma omp for nowait
        for (int n = 0; n < M; n++) {
            omp_set_lock(&l);
            x += n;  // race: x
            omp_unset_lock(&l);  // race: x
        }
#pragma omp for
        for (int n = 0; n < M; n++) {
            x -= n;  // race: x
        }
    }
    printf("%d\n", x);
#elif CASE == 34  // atomics: capture
    int next = 0, list[N];
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        int at;
#pragma omp atomic capture
        at = next++;
        list[at] = i;
    }
    printf("%d\n", list[4]);
#elif CASE == 35  // the outer loop is shared out
    static double a[M][M];
    for (i = 0; i < M; i++)
        for (j = 0; j < M; j++) a[i][j] = i + j + 1;
#pragma omp parallel for private(i, j)
    for (k = 0; k < 8; k++) {
        for (i = k + 1; i < M; i++)
            for (j = k + 1; j < M; j++) a[i][j] -= a[i][k] * a[k][j] / a[k][k];  // race: a
    }
    printf("%f\n", a[4][4]);
#elif CASE == 36  // the triangular update
    static double a[M][M];
    for (i = 0; i < M; i++)
        for (j = 0; j < M; j++) a[i][j] = i + j + 1;
    for (k = 0; k < 8; k++) {
#pragma omp parallel for private(j)
        for (i = k + 1; i < M; i++)
            for (j = k + 1; j < M; j++) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
    }
    printf("%f\n", a[4][4]);
#elif CASE == 37  // a few iterations
    int v[5] = {1, 2, 3, 4, 5};
#pragma omp parallel for
    for (i = 1; i < 4; i++) v[i] = v[i - 1] + 1;  // race: v
    printf("%d\n", v[3]);
#elif CASE == 38
    int v[5] = {1, 2, 3, 4, 5};
#pragma omp parallel for
    for (i = 0; i < 2; i++) v[i] = v[i + 2] + 1;
    printf("%d\n", v[1]);
#elif CASE == 39  // min location without protection
    int best = 1 << 30, where = -1;
#pragma omp parallel for  // race: best
    for (i = 0; i < N; i++)
        if (work(i) < best) {  // race: best
            best = work(i);    // race: best
            where = i;         // race: where maybe
        }
    printf("%d %d\n", best, where);
#elif CASE == 40  // barrier inside for both
    int shared_value = 0, out[64] = {0};
#pragma omp parallel
    {
        for (int round = 0; round < 5; round++) {
#pragma omp single nowait
            shared_value = round;  // race: shared_value
#pragma omp barrier
            out[omp_get_thread_num()] += shared_value;  // race: shared_value
        }
    }
    printf("%d\n", out[0]);
#elif CASE == 41
    int shared_value = 0, out[64] = {0};
#pragma omp parallel
    {
        for (int round = 0; round < 5; round++) {
#pragma omp single nowait
            shared_value = round;
#pragma omp barrier
            out[omp_get_thread_num()] += shared_value;
#pragma omp barrier
        }
    }
    printf("%d\n", out[0]);
#elif CASE == 42  // critical in one, master reads without
    int total = 0;
#pragma omp parallel
    {
#pragma omp critical
        total += omp_get_thread_num() + 1;  // race: total
#pragma omp master
        printf("%d\n", total);  // race: total
    }
#endif
    (void)len;
    (void)i;
    (void)j;
    (void)k;
    return work(0);
}
