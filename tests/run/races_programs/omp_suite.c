// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp -Wl,--no-as-needed -lm
// Loops and regions of the length and form of the public suites: whole arrays, threads as many as there are.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 1000, R = 64 };
static double a[N], b[N], c[N], m[R][R], u[R][R], f[R][R];
static int input[N], output[N], set[180];
static int count, tail;
static double error;

typedef struct particle {
    double at[3], speed[3];
    struct particle* next;
} particle;

static int global_counter;
static void use_argument(int* at) { *at += 1; }  // race(33): counter
static int next_id(void) {
    static int id = 0;
    id += 1;     // race(35): id
    return id;   // race(35): id
}
static void scale(double* to, const double* from, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) to[i] = from[i] * 2.0;  // race(37): to
}
struct sums {
    double low, high;
};
#pragma omp declare reduction(both : struct sums : omp_out.low += omp_in.low, omp_out.high += omp_in.high) \
    initializer(omp_priv = {0, 0})

static double relax(int steps) {
    double change = 0;
    for (int k = 0; k < steps; k++) {
        change = 0;
#pragma omp parallel
        {
#pragma omp for
            for (int i = 0; i < R; i++)
                for (int j = 0; j < R; j++) f[i][j] = u[i][j];
#if CASE == 40
#pragma omp for reduction(+ : change)
#else
#pragma omp for
#endif
            for (int i = 1; i < R - 1; i++)
                for (int j = 1; j < R - 1; j++) {
                    double residual = (f[i - 1][j] + f[i + 1][j] + f[i][j - 1] + f[i][j + 1]) / 4 - f[i][j];
                    u[i][j] = f[i][j] + residual;
                    change = change + residual * residual;  // race(39): change
                }
        }
    }
    return change;
}

int main(int argc, char* argv[]) {
    int len = N;
    if (argc > 1) len = atoi(argv[1]);
    for (int i = 0; i < N; i++) {
        input[i] = i % 2 ? i : -i;
        a[i] = b[i] = i;
    }
    for (int i = 0; i < 180; i++) set[i] = 521 + i * 2;
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++) m[i][j] = u[i][j] = i + j;
#if CASE == 1  // against the direction of the loop
#pragma omp parallel for
    for (int i = 0; i < len - 1; i++) a[i] = a[i + 1] + 1;  // race: a
#elif CASE == 2  // from another array
#pragma omp parallel for
    for (int i = 0; i < len - 1; i++) a[i] = b[i + 1] + 1;
#elif CASE == 3  // of the second dimension, the outer loop is shared
#pragma omp parallel for
    for (int i = 0; i < R - 1; i++)
        for (int j = 0; j < R; j++) m[i][j] += m[i + 1][j];  // race: m
#elif CASE == 4  // the inner one is dependent
#pragma omp parallel for
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R - 1; j++) m[i][j] += m[i][j + 1];
#elif CASE == 5  // the index of the inner loop is shared
    int i, j;
#pragma omp parallel for
    for (i = 0; i < R; i++)
        for (j = 0; j < R; j++)        // race: j
            m[i][j] = m[i][j] + 1.0;   // race: j
#elif CASE == 6
    int i, j;
#pragma omp parallel for private(j)
    for (i = 0; i < R; i++)
        for (j = 0; j < R; j++) m[i][j] = m[i][j] + 1.0;
#elif CASE == 7  // two bases into one array, twelve apart
    double* base = malloc(sizeof(double) * (2 * N + 24));
    double *first = base, *second = base + 12;
    for (int i = 521; i < 521 + 400; i++) base[i] = 0.5 * i;
#pragma omp parallel for
    for (int i = 0; i < 180; i++) {
        int at = set[i];
        first[at] += 1.0 + i;   // race: base
        second[at] += 3.0 + i;  // race: base
    }
    free(base);
#elif CASE == 8  // farther apart than the set
    double* base = malloc(sizeof(double) * (2 * N + 24));
    double *first = base, *second = base + 999;
    for (int i = 521; i < 521 + 400; i++) base[i] = base[i + 999] = 0.5 * i;
#pragma omp parallel for
    for (int i = 0; i < 180; i++) {
        int at = set[i];
        first[at] += 1.0 + i;
        second[at] += 3.0 + i;
    }
    free(base);
#elif CASE == 9  // the last value is used
    int x = 0, i;
#pragma omp parallel for private(i)
    for (i = 0; i < len; i++) x = i;  // race: x
    printf("%d", x);
#elif CASE == 10
    int x = 0, i;
#pragma omp parallel for private(i) lastprivate(x)
    for (i = 0; i < len; i++) x = i;
    printf("%d", x);
#elif CASE == 11  // a count downwards
    int left = len;
#pragma omp parallel for
    for (int i = 0; i < len; i++)
        if (input[i] <= 0) left--;  // race: left
    printf("%d", left);
#elif CASE == 12
    int left = len;
#pragma omp parallel for reduction(- : left)
    for (int i = 0; i < len; i++)
        if (input[i] <= 0) left--;
    printf("%d", left);
#elif CASE == 13  // the loop is left without a wait
    double error_of = 0;
#pragma omp parallel shared(error_of)
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++) a[i] = 5 + a[i] * 2;  // race: error
#pragma omp single
        error_of = a[9] + 1;  // race: error
    }
    error = error_of;
#elif CASE == 14
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < N; i++) a[i] = 5 + a[i] * 2;
#pragma omp single
        error = a[9] + 1;
    }
#elif CASE == 15  // out of the row at its left end
    int n = R, k = R;
    double w[n][k];
    memset(w, 0, sizeof w);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        for (int j = 0; j < k; j++) w[i][j] = w[i][j - 1];  // race: w
    error = w[2][3];
#elif CASE == 16  // the rows are read from their second element
    int n = R, k = R;
    double w[n][k];
    memset(w, 0, sizeof w);
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        for (int j = 1; j < k; j++) w[i][j] = w[i][j - 1];
    error = w[2][3];
#elif CASE == 17  // a list is filled
#pragma omp parallel for
    for (int i = 0; i < N; i++) output[tail++] = input[i];  // race: output tail
#elif CASE == 18  // by number
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int at;
#pragma omp atomic capture
        at = tail++;
        output[at] = input[i];
    }
#elif CASE == 19  // a value between
    int tmp = 0;
#pragma omp parallel for
    for (int i = 0; i < len; i++) {
        tmp = input[i] + i;  // race: tmp
        output[i] = tmp;     // race: tmp
    }
#elif CASE == 20
    int tmp = 0;
#pragma omp parallel for private(tmp)
    for (int i = 0; i < len; i++) {
        tmp = input[i] + i;
        output[i] = tmp;
    }
#elif CASE == 21  // a sum of squares
    double temp, sum = 0;
#pragma omp parallel for private(temp)
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++) {
            temp = u[i][j];
            sum = sum + temp * temp;  // race: sum
        }
    error = sum;
#elif CASE == 22
    double temp, sum = 0;
#pragma omp parallel for private(temp) reduction(+ : sum)
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++) {
            temp = u[i][j];
            sum = sum + temp * temp;
        }
    error = sum;
#elif CASE == 23  // each reads the first
#pragma omp parallel for
    for (int i = 0; i < len; i++) a[i] = a[i] + a[0];  // race: a
#elif CASE == 24  // every second one
#pragma omp parallel for
    for (int i = 0; i < len / 2; i++) a[2 * i + 1] = a[i] + 1;  // race: a
#elif CASE == 25  // even from odd
#pragma omp parallel for
    for (int i = 0; i < len / 2; i++) a[2 * i] = a[2 * i + 1] + 1;
#elif CASE == 26  // each thread stores its number
    int number_of = 0;
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) number_of = omp_get_num_threads();  // race: number
        output[omp_get_thread_num()] = number_of;                         // race: number
    }
#elif CASE == 27
    int number_of = 0;
#pragma omp parallel
    {
#pragma omp master
        number_of = omp_get_num_threads();
#pragma omp barrier
        output[omp_get_thread_num()] = number_of;
    }
#elif CASE == 28  // product of matrices
    double(*p)[R] = malloc(sizeof(double[R][R]));
#pragma omp parallel for collapse(2)
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++) {
            double s = 0;
            for (int k = 0; k < R; k++) s += m[i][k] * u[k][j];
            p[i][j] = s;
        }
    error = p[3][4];
    free(p);
#elif CASE == 29  // the loop over the sum's index is the shared one
    double(*p)[R] = calloc(R, sizeof *p);
    for (int i = 0; i < R; i++)
#pragma omp parallel for
        for (int k = 0; k < R; k++)
            for (int j = 0; j < R; j++) p[i][j] += m[i][k] * u[k][j];  // race: p
    error = p[3][4];
    free(p);
#elif CASE == 30  // prefix sums by scan
    double sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; i++) {
        sum += b[i];
#pragma omp scan inclusive(sum)
        a[i] = sum;
    }
#elif CASE == 31  // and by hand
    double sum = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        sum += b[i];  // race: sum
        a[i] = sum;   // race: sum
    }
#elif CASE == 32  // threads in pairs wait at one barrier, every one has its part
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num();
        for (int step = 1; step < 4; step *= 2) {
            a[t] += step;
#pragma omp barrier
            b[t] = a[t ^ step];
#pragma omp barrier
        }
    }
#elif CASE == 33  // a shared counter as an argument
#pragma omp parallel
    use_argument(&global_counter);
#elif CASE == 34  // an own one
#pragma omp parallel
    {
        int mine = 0;
        use_argument(&mine);
    }
#elif CASE == 35  // a static counter of a function
#pragma omp parallel
    output[omp_get_thread_num()] = next_id();
#elif CASE == 36  // under a lock
#pragma omp parallel
#pragma omp critical(id)
    output[omp_get_thread_num()] = next_id();
#elif CASE == 37  // overlapping
    scale(a + 1, a, N - 1);
#elif CASE == 38
    scale(a, b, N);
#elif CASE == 39 || CASE == 40
    error = relax(3);
#elif CASE == 41  // a reduction of a structure
    struct sums s = {0, 0};
#pragma omp parallel for reduction(both : s)
    for (int i = 0; i < N; i++) {
        s.low += a[i];
        s.high += b[i];
    }
    error = s.low + s.high;
#elif CASE == 42  // and without
    struct sums s = {0, 0};
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        s.low += a[i];   // race: low high
        s.high += b[i];  // race: low high
    }
    error = s.low + s.high;
#elif CASE == 43  // particles in a list, each thread a part, forces are both ways
    particle* all = calloc(200, sizeof *all);
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < 200; i++)
        for (int j = i + 1; j < 200 && j < i + 20; j++) {
            all[i].speed[0] += 0.1;  // race: speed
            all[j].speed[0] -= 0.1;  // race: speed
        }
    free(all);
#elif CASE == 44
    particle* all = calloc(200, sizeof *all);
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < 200; i++)
        for (int j = i + 1; j < 200 && j < i + 20; j++) {
#pragma omp atomic
            all[i].speed[0] += 0.1;
#pragma omp atomic
            all[j].speed[0] -= 0.1;
        }
    free(all);
#elif CASE == 45  // masked, and nobody waits
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        count = 5;  // race: count
        output[omp_get_thread_num()] = count;  // race: count
    }
#elif CASE == 46  // the sections use one sum
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < N / 2; i++) error += a[i];  // race: error
#pragma omp section
        for (int i = N / 2; i < N; i++) error += a[i];  // race: error
    }
#elif CASE == 47  // a lock in one section, another in the other
    omp_lock_t x, y;
    omp_init_lock(&x);
    omp_init_lock(&y);
#pragma omp parallel sections
    {
#pragma omp section
        {
            omp_set_lock(&x);
            count += 1;  // race: count
            __asm__ volatile("" ::: "memory");
            omp_unset_lock(&x);
        }
#pragma omp section
        {
            omp_set_lock(&y);
            count += 2;  // race: count
            omp_unset_lock(&y);
        }
    }
#elif CASE == 48  // a loop of one thread in ordered
#pragma omp parallel for ordered
    for (int i = 0; i < 100; i++) {
#pragma omp ordered
        count++;
    }
#elif CASE == 49  // the directive is missing, the clause is not
#pragma omp parallel for ordered
    for (int i = 0; i < 100; i++) count++;  // race: count
#elif CASE == 50  // linear
    int at = 0;
#pragma omp parallel for linear(at : 1)
    for (int i = 0; i < N; i++) {
        a[at] += b[i];
        at++;
    }
#elif CASE == 51
    int at = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        a[at] += b[i];  // race: at
        at++;           // race: at
    }
#elif CASE == 52  // a wavefront by doacross
#pragma omp parallel for collapse(2) ordered(2)
    for (int i = 1; i < 20; i++)
        for (int j = 1; j < 20; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            m[i][j] = m[i - 1][j] + m[i][j - 1];
#pragma omp ordered depend(source)
        }
#elif CASE == 53  // one direction is missing
#pragma omp parallel for collapse(2) ordered(2) schedule(static, 1) num_threads(4)
    for (int i = 1; i < 20; i++)
        for (int j = 1; j < 20; j++) {
#pragma omp ordered depend(sink : i - 1, j)
            m[i][j] = m[i - 1][j] + m[i][j - 1];  // race: m
#pragma omp ordered depend(source)
        }
#elif CASE == 54  // nested teams, both add
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < R; i++) output[i] += i;  // race: output
    }
#elif CASE == 55  // nested teams, each outer thread has its half
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int half = omp_get_thread_num() * (N / 2);
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < N / 2; i++) output[half + i] += i;
    }
#elif CASE == 56  // a search that is cancelled
    int found = -1;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (input[i] == 501) {
#pragma omp atomic write
            found = i;
#pragma omp cancel for
        }
    }
    printf("%d", found);
#elif CASE == 57  // without atomic, and the others look at it
    int found = -1;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (found >= 0) continue;  // race: found
        if (input[i] == 901) found = i;  // race: found
    }
    printf("%d", found);
#elif CASE == 58  // the largest, the test is outside of the lock
    int best = -1;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (input[i] > best) {  // race: best
#pragma omp critical
            if (input[i] > best) best = input[i];  // race: best
        }
    printf("%d", best);
#elif CASE == 59
    int best = -1;
#pragma omp parallel for reduction(max : best)
    for (int i = 0; i < N; i++)
        if (input[i] > best) best = input[i];
    printf("%d", best);
#elif CASE == 60  // a histogram with a column for each thread, added at last
    int bins[8][16] = {{0}};
#pragma omp parallel num_threads(4)
    {
#pragma omp for
        for (int i = 0; i < N; i++) bins[omp_get_thread_num()][abs(input[i]) % 16]++;
#pragma omp for
        for (int k = 0; k < 16; k++)
            for (int t = 1; t < 4; t++) bins[0][k] += bins[t][k];
    }
    count = bins[0][3];
#elif CASE == 61  // the loop before does not wait
    int bins[8][16] = {{0}};
#pragma omp parallel num_threads(4)
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++) bins[omp_get_thread_num()][abs(input[i]) % 16]++;  // race: bins
#pragma omp for
        for (int k = 0; k < 16; k++)
            for (int t = 1; t < 4; t++) bins[0][k] += bins[t][k];  // race: bins
    }
    count = bins[0][3];
#elif CASE == 62  // a sum of each thread, the last line is not guarded
    double sum = 0;
#pragma omp parallel
    {
        double mine = 0;
#pragma omp for nowait
        for (int i = 0; i < N; i++) mine += a[i];
        sum += mine;  // race: sum
    }
    error = sum;
#elif CASE == 63
    double sum = 0;
#pragma omp parallel
    {
        double mine = 0;
#pragma omp for nowait
        for (int i = 0; i < N; i++) mine += a[i];
#pragma omp atomic
        sum += mine;
    }
    error = sum;
#elif CASE == 64  // red and black
#pragma omp parallel
    for (int colour = 0; colour < 2; colour++)
#pragma omp for
        for (int i = 1; i < R - 1; i++)
            for (int j = 1 + (i + colour) % 2; j < R - 1; j += 2)
                u[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4;
#elif CASE == 65  // in place
#pragma omp parallel for
    for (int i = 1; i < R - 1; i++)
        for (int j = 1; j < R - 1; j++) u[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4;  // race: u
#elif CASE == 66  // a triangle, dynamic
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < R; i++)
        for (int j = 0; j <= i; j++) m[i][j] = m[j][i] = i * j;
#elif CASE == 67  // both halves are read, one is written
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < R; i++)
        for (int j = 0; j < i; j++) m[i][j] = m[j][i] + m[j][j];
#elif CASE == 68  // the decomposition, the row of the step is read by all
    for (int k = 0; k < R; k++) {
#pragma omp parallel for
        for (int i = k + 1; i < R; i++) {
            m[i][k] /= m[k][k] + 1;
            for (int j = k + 1; j < R; j++) m[i][j] -= m[i][k] * m[k][j];
        }
    }
#elif CASE == 69  // the row of the step is written, too
    for (int k = 0; k < R; k++) {
#pragma omp parallel for
        for (int i = k; i < R; i++)
            for (int j = k + 1; j < R; j++) m[i][j] -= m[i][k] * m[k][j];  // race: m
    }
#elif CASE == 70  // teams on the host
#pragma omp target teams distribute parallel for map(tofrom : a) map(to : b)
    for (int i = 0; i < N; i++) a[i] += b[i] * i;
#elif CASE == 71
#pragma omp target map(tofrom : count)
#pragma omp teams distribute parallel for
    for (int i = 0; i < N; i++) count++;  // race: count
#elif CASE == 72  // each team in critical
#pragma omp target map(tofrom : count)
#pragma omp teams distribute parallel for num_teams(2) thread_limit(4)
    for (int i = 0; i < 100; i++) {
#pragma omp critical
        count++;
    }
#elif CASE == 73  // in the loop simd, reductions of both
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += a[i] * b[i];
    error = sum;
#elif CASE == 75
#pragma omp parallel
#pragma omp loop
    for (int i = 1; i < N; i++) a[i] = a[i - 1];  // race: a
#elif CASE == 76  // the if clause makes it one thread
#pragma omp parallel for if (len < 10)
    for (int i = 0; i < len - 1; i++) a[i + 1] = a[i] + 1;
#elif CASE == 77  // or not
#pragma omp parallel for if (len > 10)
    for (int i = 0; i < len - 1; i++) a[i + 1] = a[i] + 1;  // race: a
#elif CASE == 78  // each thread allocates, frees, and keeps its own
#pragma omp parallel
    {
        double* mine = malloc(N * sizeof *mine);
        for (int i = 0; i < N; i++) mine[i] = i;
#pragma omp critical
        error += mine[4];
        free(mine);
    }
#elif CASE == 79  // one pointer for all of them
    double* mine = NULL;
#pragma omp parallel num_threads(2) shared(mine)
    {
        mine = malloc(N * sizeof *mine);       // race: mine
        for (int i = 0; i < N; i++) mine[i] = i;  // race: mine
#pragma omp barrier
    }
    error = mine[3];
#elif CASE == 80  // the number of iterations is less than that of threads
#pragma omp parallel for num_threads(8)
    for (int i = 0; i < 4; i++) a[i] = a[(i + 1) % 4];  // race: a
#endif
    printf("%d %d %f %f %f %f %d\n", count, tail, error, a[5], m[3][4], u[5][6], output[7]);
    return 0;
}
