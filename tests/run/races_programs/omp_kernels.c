// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp -lm
// Kernels with OpenMP as in suites of races: stencils, indirect access, shared scalars, tests in loops, with the threads
// that the machine has, or few iterations.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 100 };
static int a[N * 2 + 2], b[N][N], input[N * 10], output[N * 10], places[N];
static double u[N][N], f[N][N], old[N][N], error, pi;
static int total;
static int global_tmp;
static char letters[N];
struct Pair { int first, second; };
static struct Pair pairs[N];
static double square(double x) { return x * x; }
#if CASE == 18
static void add_one(int* p) {
    *p += 1;  // race: x
}
#elif CASE == 19
static void add_one(int* p) { *p += 1; }
#elif CASE == 20
static void set_global(int i) {
    global_tmp = i;  // race: tmp
}
static int get_global(void) {
    return global_tmp;  // race: tmp
}
#elif CASE == 21
static int with_static(int i) {
    static int kept;
    kept += i;    // race: kept
    return kept;  // race: kept
}
#endif
static void fill(double* restrict to, const double* restrict from, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) to[i] = from[i] * 2;
}
int main(int argc, char** argv) {
    int i, j, len = argc > 1 ? atoi(argv[1]) : N, tmp = 0, x = 10, count = 0;
    (void)argv;
    for (i = 0; i < N * 10; i++) input[i] = i % 3 - 1;
    for (i = 0; i < N; i++) places[i] = i * 2;
#if CASE == 1  // an element that all read and one stores to
#pragma omp parallel for
    for (i = 0; i < len; i++)
        a[i] = a[i] + a[0];  // race: a
#elif CASE == 2  // the later half from the first one
#pragma omp parallel for
    for (i = 0; i < len; i++)
        a[2 * i + 1] = a[i] + 1;  // race: a
#elif CASE == 3  // a shared scalar, loaded before it is stored to
#pragma omp parallel for
    for (i = 0; i < len; i++) {
        a[i] = x;  // race: x
        KEEP;
        x = i;  // race: x
        KEEP;
    }
#elif CASE == 4  // a counter that goes down
    count = len;
#pragma omp parallel for
    for (i = 0; i < N * 10; i++)
        if (input[i] <= 0) count--;  // race: count
#elif CASE == 5  // an output place that is counted
#pragma omp parallel for
    for (i = 0; i < N * 10; i++)
        output[count++] = input[i];  // race: count
#elif CASE == 6  // rows from the row before
#pragma omp parallel for private(j)
    for (i = 1; i < N; i++)
        for (j = 0; j < N; j++)
            b[i][j] = b[i - 1][j] + 1;  // race: b
#elif CASE == 7  // columns from the column before: rows are whole
#pragma omp parallel for private(j)
    for (i = 0; i < N; i++)
        for (j = 1; j < N; j++) b[i][j] = b[i][j - 1] + 1;
#elif CASE == 8  // a row's first element is the last one of the row before
#pragma omp parallel for private(j)
    for (i = 1; i < N; i++)
        for (j = 0; j < N; j++) {
            int* row = b[i];
            row[j] = row[j - 1] + 1;  // race: b
        }
#elif CASE == 9  // the inner loop is shared out, its variable of the outer one is
    for (i = 0; i < N - 1; i++)
#pragma omp parallel for
        for (j = 0; j < N; j++) b[i][j] = b[i + 1][j] + 1;
#elif CASE == 10  // only the inner loop, which depends
    for (i = 0; i < 3; i++)
#pragma omp parallel for
        for (j = 0; j < N - 1; j++)
            b[i][j] = b[i][j + 1] + 1;  // race: b
#elif CASE == 11  // a Jacobi step with two arrays and a reduction
#pragma omp parallel private(j)
    {
#pragma omp for
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) old[i][j] = u[i][j];
#pragma omp for reduction(+ : error)
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++) {
                double r = (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1] - f[i][j]) / 4;
                u[i][j] = r;
                error += square(r);
            }
    }
#elif CASE == 12  // in place
#pragma omp parallel for private(j)
    for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++)
            u[i][j] = (u[i - 1][j] + u[i + 1][j]) / 2;  // race: u
#elif CASE == 13  // its error is no reduction
#pragma omp parallel for private(j)
    for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++) {
            u[i][j] = (old[i - 1][j] + old[i + 1][j]) / 2;
            error = error + u[i][j];  // race: error
        }
#elif CASE == 14  // pi
    double step = 1.0 / 2000;
#pragma omp parallel for reduction(+ : pi)
    for (i = 0; i < 2000; i++) pi += 4 / (1 + square((i + 0.5) * step));
#elif CASE == 15  // pi with a shared place
    double step = 1.0 / 2000, at = 0;
#pragma omp parallel for reduction(+ : pi)
    for (i = 0; i < 2000; i++) {
        at = (i + 0.5) * step;      // race: at
        pi += 4 / (1 + at * at);    // race: at
    }
#elif CASE == 16  // the number of threads by one of them
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) count = omp_get_num_threads();
    }
#elif CASE == 17  // by all of them
#pragma omp parallel
    {
        count = omp_get_num_threads();  // race: count
    }
#elif CASE == 18  // a function's argument by reference
#pragma omp parallel
    add_one(&x);
#elif CASE == 19  // by value
#pragma omp parallel firstprivate(x)
    add_one(&x);
#elif CASE == 20  // a function with a global, one after the other
#pragma omp parallel for
    for (i = 0; i < len; i++) {
        set_global(i);
        a[i] = get_global();
    }
#elif CASE == 21  // a function with a static variable
#pragma omp parallel for
    for (i = 0; i < len; i++) a[i] = with_static(i);
#elif CASE == 22  // letters beside each other
#pragma omp parallel for
    for (i = 0; i < N; i++) letters[i] = 'a' + (char)(i % 26);
#elif CASE == 23  // restrict pointers
    double *to = malloc(N * sizeof *to), *from = calloc(N, sizeof *from);
    fill(to, from, N);
    free(to);
    free(from);
#elif CASE == 24  // the same block by two pointers
    double* to = calloc(N + 1, sizeof *to);
    double *p = to, *q = to + 1;
#pragma omp parallel for
    for (i = 0; i < N; i++)
        p[i] = q[i] + 1;  // race: block
    free(to);
#elif CASE == 25  // two offsets into one array by places
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        a[places[i]] = i;
        a[places[i] + 1] = i;
    }
#elif CASE == 26  // each place is the next one's other place
    for (i = 0; i < N; i++) places[i] = i;
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        a[places[i]] = i;      // race: a
        a[places[i] + 1] = i;  // race: a
    }
#elif CASE == 27  // output of all threads
#pragma omp parallel for
    for (i = 0; i < 20; i++) fprintf(stderr, "%d\n", i);
#elif CASE == 28  // a member of a struct beside another one's
#pragma omp parallel for
    for (i = 0; i < N; i++) {
        pairs[i].first = i;
        pairs[i].second = pairs[i].first;
    }
#elif CASE == 29  // a parallel region by a condition that holds
    srand(1);
#pragma omp parallel for if (rand() >= 0)
    for (i = 0; i < len - 1; i++)
        a[i + 1] = a[i] + 1;  // race: a
#elif CASE == 30  // and by one that does not
#pragma omp parallel for if (argc > 5)
    for (i = 0; i < len - 1; i++) a[i + 1] = a[i] + 1;
#elif CASE == 31  // linear is missing
    j = 0;
#pragma omp parallel for
    for (i = 0; i < len; i++) {
        a[j] = i;  // race: j
        KEEP;
        j++;  // race: j
        KEEP;
    }
#elif CASE == 32
    j = 0;
#pragma omp parallel for linear(j)
    for (i = 0; i < len; i++) {
        a[j] = i;
        j++;
    }
#elif CASE == 33  // lastprivate is missing
#pragma omp parallel for private(j)
    for (i = 0; i < N; i++)
        x = i;  // race: x
#elif CASE == 34  // the test of a maximum
    int most = 0;
#pragma omp parallel for
    for (i = 0; i < len; i++) {
        KEEP;
        if (input[i] + i > most)  // race: most
            most = input[i] + i;  // race: most
        KEEP;
    }
    count = most;
#elif CASE == 35  // matrix times vector: a private sum for each row
    double sum;
#pragma omp parallel for private(j, sum)
    for (i = 0; i < N; i++) {
        sum = 0;
        for (j = 0; j < N; j++) sum += u[i][j] * f[j][0];
        old[i][0] = sum;
    }
#elif CASE == 36  // and a reduction in the inner loop
    for (i = 0; i < 10; i++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (j = 0; j < N; j++) sum += u[i][j] * f[j][0];
        old[i][0] = sum;
    }
#elif CASE == 37  // the innermost of three loops has no reduction
#pragma omp parallel for private(j)
    for (i = 0; i < 20; i++)
        for (j = 0; j < 20; j++)
            for (int k = 0; k < 20; k++)
                b[0][j] += i + k;  // race: b
#elif CASE == 38  // few iterations
#pragma omp parallel for num_threads(2)
    for (i = 0; i < 2; i++) {
        total += i;  // race: total
        KEEP;
    }
#elif CASE == 39  // a temporary of the outer function
#pragma omp parallel for
    for (i = 0; i < len; i++) {
        tmp = a[i] + i;  // race: tmp
        a[i] = tmp;      // race: tmp
    }
#elif CASE == 40  // wavefront with collapse: every element is its own
#pragma omp parallel for collapse(2)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) b[i][j] = i * j;
#elif CASE == 41  // collapse with a dependence
#pragma omp parallel for collapse(2)
    for (i = 1; i < N; i++)
        for (j = 1; j < N; j++)
            b[i][j] = b[i - 1][j - 1] + 1;  // race: b
#elif CASE == 42  // simd only: one thread
#pragma omp simd
    for (i = 0; i < N - 1; i++) a[i] = a[i + 1] + 1;
#elif CASE == 43  // parallel and simd
#pragma omp parallel for simd
    for (i = 0; i < N - 1; i++)
        a[i + 1] = a[i] + 1;  // race: a
#elif CASE == 44  // a block of a variable that is made before the region
    int* counter = malloc(sizeof *counter);
    *counter = 0;
#pragma omp parallel
    (*counter)++;  // race: counter
    count = *counter;
    free(counter);
#elif CASE == 45  // memcpy of rows that meet
#pragma omp parallel for
    for (i = 0; i < N - 1; i++)
        memcpy(u[i], u[i + 1], sizeof u[i]);  // race: u
#elif CASE == 46  // a two-step update by red and black
    for (int color = 0; color < 2; color++)
#pragma omp parallel for
        for (i = 1 + color; i < N; i += 2) a[i] = a[i - 1] + a[i + 1];
#endif
    printf("%d %d %d %d %g %g %g %d\n", a[1], b[1][1], tmp, x, u[1][1], error, pi, total + count);
    return 0;
}
