// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Loops of OpenMP: dependences between iterations, shared scalars, reductions, schedules.
#include <stdio.h>
#include <stdlib.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 400 };
double a[N + 2], b[N + 2], c[N][8], sum, best;
int index_of[N], count, last;
int main(void) {
    int k = 0;
    double x = 0;
    double* p = malloc(N * sizeof *p);
    for (int i = 0; i < N; i++) index_of[i] = i;
#pragma omp parallel num_threads(4)
    { }
#if CASE == 1  // a[i + 1] of the next iteration
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < N; i++)
        a[i] = a[i + 1] + 1;  // race: a a
#elif CASE == 2  // the same with two arrays
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < N; i++)
        b[i] = a[i + 1] + 1;
#elif CASE == 3  // a shared scalar of main that each iteration sets
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        k = i * 2;      // race: k
        b[i] = k;       // race: k
    }
#elif CASE == 4
#pragma omp parallel for num_threads(4) private(k)
    for (int i = 0; i < N; i++) {
        k = i * 2;
        b[i] = k;
    }
#elif CASE == 5  // a sum without a reduction
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) sum += i;  // race: sum
#elif CASE == 6
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += i;
#elif CASE == 7
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++)
#pragma omp atomic
        sum += i;
#elif CASE == 8
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++)
#pragma omp critical
        sum += i;
#elif CASE == 9  // a maximum that is tested outside of the critical section
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < N; i++)
        if (i > best)         // race: best
#pragma omp critical
            if (i > best) best = i;  // race: best
#elif CASE == 10
#pragma omp parallel for num_threads(4) reduction(max : best)
    for (int i = 0; i < N; i++)
        if (i > best) best = i;
#elif CASE == 11  // indices that meet
    for (int i = 0; i < N; i++) index_of[i] = i % 7;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++)
        p[index_of[i]] = i;  // race: p
#elif CASE == 12  // indices that do not meet
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) p[index_of[i]] = i;
#elif CASE == 13  // the inner loop's variable is shared
    int j;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++)
        for (j = 0; j < 8; j++)  // race: j
            c[i][j] = i;         // race: j
#elif CASE == 14
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 8; j++) c[i][j] = i;
#elif CASE == 15  // the second loop needs what the first one makes, and does not wait
#pragma omp parallel num_threads(4)
    {
#pragma omp for nowait schedule(static, 1)
        for (int i = 0; i < N; i++) a[i] = i;  // race: a
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];  // race: a
    }
#elif CASE == 16
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < N; i++) a[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];
    }
#elif CASE == 17  // lastprivate
#pragma omp parallel for num_threads(4) lastprivate(x)
    for (int i = 0; i < N; i++) x = i;
#elif CASE == 18  // each iteration keeps what came last
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) last = i;  // race: last
#elif CASE == 19  // ordered
#pragma omp parallel for num_threads(4) ordered schedule(static, 1)
    for (int i = 0; i < N; i++) {
        b[i] = i;
#pragma omp ordered
        sum += b[i];
    }
#elif CASE == 20  // dynamic schedule, neighbours
#pragma omp parallel for num_threads(4) schedule(dynamic, 1)
    for (int i = 1; i < N; i++)
        for (int j = 0; j < 200; j++)
            a[i] = a[i - 1] + a[i];  // race: a
#elif CASE == 21
#pragma omp parallel for num_threads(4) schedule(dynamic, 4)
    for (int i = 0; i < N; i++) a[i] = b[i] + 1;
#elif CASE == 22
#pragma omp parallel for num_threads(4) schedule(guided)
    for (int i = 0; i < N; i++) a[i] = b[i] + 1;
#elif CASE == 23  // rows of a matrix, each of one thread; columns that meet
#pragma omp parallel for num_threads(4)
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < N; i++) {
            KEEP;  // race: a
            a[i] += 1;  // race: a
        }
#elif CASE == 24  // doacross
#pragma omp parallel for num_threads(4) ordered(1) schedule(static, 1)
    for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#elif CASE == 25  // a counter without atomic beside one with it
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
#pragma omp atomic
        sum += 1;
        count++;  // race: count
    }
#elif CASE == 26  // collapse
#pragma omp parallel for num_threads(4) collapse(2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 8; j++) c[i][j] = i + j;
#endif
    printf("%d %g %g %d %d %g %g\n", k, x, sum, count, last, best, p[0] * 0 + a[1] + b[1] + c[1][1]);
    free(p);
    return 0;
}
