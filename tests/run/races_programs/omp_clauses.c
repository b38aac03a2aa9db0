// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp -Wl,--no-as-needed -lm
// Clauses one by one, each in a whole program: correct, and with the race (RACY).
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// Compilers and levels are chosen by number: each has races, and each correct programs.
#define RACY (CASE % 8 == 2 || CASE % 8 == 3 || CASE % 8 == 5 || CASE % 8 == 0)

#if CASE == 1 || CASE == 2
// two target regions that are not waited for
int main(void) {
    enum { LEN = 64 };
    static int v[LEN];
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#if RACY
#pragma omp target map(tofrom : v) nowait
#else
#pragma omp target map(tofrom : v) nowait depend(out : v)
#endif
        for (int i = 0; i < LEN; ++i) v[i] = i;  // race(2): v
#if RACY
#pragma omp target map(tofrom : v) nowait
#else
#pragma omp target map(tofrom : v) nowait depend(inout : v)
#endif
        for (int i = 0; i < LEN; ++i) v[i] *= 3;  // race(2): v
#pragma omp taskwait
    }
    printf("%d\n", v[9]);
}
#elif CASE == 3 || CASE == 4
// a sum over the teams of a target region
int main(void) {
    enum { LEN = 256 };
    double x[LEN], y[LEN], dot = 0.0;
    for (int i = 0; i < LEN; ++i) x[i] = y[i] = i * 0.5;
#if RACY
#pragma omp target teams distribute parallel for map(to : x, y) map(tofrom : dot) num_teams(2) thread_limit(3)
#else
#pragma omp target teams distribute parallel for map(to : x, y) map(tofrom : dot) reduction(+ : dot) num_teams(2) thread_limit(3)
#endif
    for (int i = 0; i < LEN; ++i) dot += x[i] * y[i];  // race(3): dot
    printf("%f\n", dot);
}
#elif CASE == 5 || CASE == 6
// a linear variable of a loop for threads and lanes
int main(void) {
    enum { LEN = 512 };
    float from[LEN], to[2 * LEN];
    int j = 0;
    for (int i = 0; i < LEN; ++i) from[i] = i;
    memset(to, 0, sizeof to);
#if RACY
#pragma omp parallel for shared(j) num_threads(4)
#else
#pragma omp parallel for simd linear(j : 2) num_threads(4)
#endif
    for (int i = 0; i < LEN; ++i) {
        to[j] = sqrtf(from[i]);  // race(5): j
        j += 2;                  // race(5): j
    }
    printf("%f %d\n", to[4], j);
}
#elif CASE == 7 || CASE == 8
// a chain of distance two or one through a doacross loop
int main(void) {
    enum { LEN = 48 };
    int chain[LEN];
    for (int i = 0; i < LEN; ++i) chain[i] = 1;
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(4)
    for (int i = 2; i < LEN; ++i) {
#pragma omp ordered depend(sink : i - 2)
        chain[i] = chain[i - (RACY ? 1 : 2)] + 1;  // race(8): chain
#pragma omp ordered depend(source)
    }
    printf("%d\n", chain[LEN - 1]);
}
#elif CASE == 9 || CASE == 10
// where three loops go to, by number or by a count
int main(void) {
    enum { A = 4, B = 5, C = 6 };
    int packed[A * B * C], at = 0;
#pragma omp parallel for collapse(3) num_threads(4)
    for (int i = 0; i < A; ++i)
        for (int j = 0; j < B; ++j)
            for (int k = 0; k < C; ++k) {
#if RACY
                packed[at] = i + j + k;  // race(10): at
                at = at + 1;             // race(10): at
#else
                packed[(i * B + j) * C + k] = i + j + k;
#endif
            }
    printf("%d %d\n", packed[0], at);
}
#elif CASE == 11 || CASE == 12
// two grids that are swapped by one thread
int main(void) {
    enum { LEN = 100, STEPS = 5 };
    double *old = calloc(LEN, sizeof *old), *now = calloc(LEN, sizeof *now);
    old[0] = now[0] = 1.0;
    int step;
#pragma omp parallel private(step) num_threads(3)
    for (step = 0; step < STEPS; ++step) {
#if RACY
#pragma omp for schedule(dynamic, 4) nowait
#else
#pragma omp for schedule(dynamic, 4)
#endif
        for (int i = 1; i < LEN - 1; ++i) now[i] = 0.5 * (old[i - 1] + old[i + 1]);  // race(11): swap
#pragma omp single
        {
            double* t = old;
            old = now;        // race(11): swap
            now = t;          // race(11): swap
        }
    }
    printf("%f\n", old[1]);
    free(old);
    free(now);
}
#elif CASE == 13 || CASE == 14
// the last value that was assigned under a condition
int main(void) {
    enum { LEN = 200 };
    int data[LEN], last = -1;
    for (int i = 0; i < LEN; ++i) data[i] = (i * 37) % 11;
#if RACY
#pragma omp parallel for num_threads(4)
#else
#pragma omp parallel for lastprivate(conditional : last) num_threads(4)
#endif
    for (int i = 0; i < LEN; ++i)
        if (data[i] == 3) last = i;  // race(13): last
    printf("%d\n", last);
}
#elif CASE == 15 || CASE == 16
// each thread's copy comes from the one who read it
static int seed, table[8];
#pragma omp threadprivate(seed)
int main(void) {
    seed = 3;
    int shared_seed = 0;
#pragma omp parallel copyin(seed) num_threads(4)
    {
        int me = omp_get_thread_num();
#if RACY
#pragma omp single nowait
        shared_seed = seed * 2;        // race(16): seed
        table[me] = shared_seed + me;  // race(16): seed
#else
#pragma omp single copyprivate(seed)
        seed = seed * 2;
        table[me] = seed + me;
#endif
    }
    printf("%d %d\n", table[1], shared_seed);
}
#elif CASE == 17 || CASE == 18
// a message, then a flag that is written and read atomically, with flushes
int main(void) {
    int message = 0, flag = 0, second = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            message = 42;
            if (!RACY) second = 43;
#pragma omp flush
#pragma omp atomic write
            flag = 1;
            if (RACY) second = 43;  // race(18): second
        } else {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read
                seen = flag;
            }
#pragma omp flush
            printf("%d\n", message);
            printf("%d\n", second);  // race(18): second
        }
    }
}
#elif CASE == 19 || CASE == 20
// a lock that its owner may take again, and another lock for the same thing
static omp_nest_lock_t one, two;
static long balance;
static void deposit(omp_nest_lock_t* lock, long by) {
    omp_set_nest_lock(lock);
    balance += by;  // race(19): balance
    omp_unset_nest_lock(lock);
}
static void transfer(omp_nest_lock_t* lock, long by) {
    omp_set_nest_lock(lock);
    deposit(lock, by);
    deposit(lock, -by / 2);
    omp_unset_nest_lock(lock);
}
int main(void) {
    omp_init_nest_lock(&one);
    omp_init_nest_lock(&two);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 40; ++i) transfer(RACY && i % 2 ? &two : &one, i);
    omp_destroy_nest_lock(&one);
    omp_destroy_nest_lock(&two);
    printf("%ld\n", balance);
}
#elif CASE == 21 || CASE == 22
// sections with a result of their last one
int main(void) {
    int width = 3, area = 0;
#if RACY
#pragma omp parallel sections num_threads(3)
#else
#pragma omp parallel sections firstprivate(width) lastprivate(area) num_threads(3)
#endif
    {
#pragma omp section
        {
            width = width + 1;    // race(21): width
            area = width * width; // race(21): width area
        }
#pragma omp section
        {
            width = width + 2;    // race(21): width
            area = width * width; // race(21): width area
        }
    }
    printf("%d %d\n", width, area);
}
#elif CASE == 23 || CASE == 24
// an inner team that sums for its thread, or for all
int main(void) {
    int sums[3] = {0}, total = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) shared(sums, total)
    {
        int mine = 0, me = omp_get_thread_num();
#if RACY
#pragma omp parallel for num_threads(2) shared(total)
        for (int i = 0; i < 20; ++i) total += i;  // race(24): total
#else
#pragma omp parallel for num_threads(2) reduction(+ : mine)
        for (int i = 0; i < 20; ++i) mine += i;
        sums[me] = mine;
#endif
    }
    printf("%d %d\n", sums[1], total);
}
#elif CASE == 25 || CASE == 26
// a search that others may stop
int main(void) {
    enum { LEN = 300 };
    int keys[LEN], found = -1;
    for (int i = 0; i < LEN; ++i) keys[i] = i % 50;
#pragma omp parallel shared(found) num_threads(4)
    {
#pragma omp for
        for (int i = 0; i < LEN; ++i) {
            if (keys[i] == 17) {
#if !RACY
#pragma omp critical(result)
#endif
                {
                    if (found < i) found = i;  // race(26): found
                }
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
    }
    printf("%d\n", found);
}
#elif CASE == 27 || CASE == 28
// places in a list by capture, or by an update and a look
int main(void) {
    enum { LEN = 120 };
    int list[LEN + 8], n = 0;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < LEN; ++i) {
        int at;
#if RACY
        at = n;  // race(27): n
#pragma omp atomic update
        n++;           // race(27): n
        list[at] = i;  // race(27): list maybe
#else
#pragma omp atomic capture
        at = n++;
        list[at] = i;
#endif
    }
    printf("%d %d\n", list[3], n);
}
#elif CASE == 29 || CASE == 30
// all accesses atomic, or all but one
int main(void) {
    int ticks = 0, seen[4] = {0};
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num(), got;
        for (int i = 0; i < 10; ++i) {
#pragma omp atomic update seq_cst hint(omp_sync_hint_contended)
            ticks += 2;  // race(29): ticks
        }
#if RACY
        got = ticks;  // race(29): ticks
#else
#pragma omp atomic read seq_cst
        got = ticks;
#endif
        seen[me] = got;
    }
    printf("%d\n", seen[2]);
}
#elif CASE == 31 || CASE == 32
// critical sections of one name and of none
static int stock = 100;
static void buy(int n) {
#pragma omp critical(stock)
    stock -= n;  // race(32): stock
}
static void fill(int n) {
#if RACY
#pragma omp critical
#else
#pragma omp critical(stock)
#endif
    stock += n;  // race(32): stock
}
int main(void) {
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        for (int i = 0; i < 10; ++i) buy(i);
#pragma omp section
        for (int i = 0; i < 10; ++i) fill(i);
    }
    printf("%d\n", stock);
}
#elif CASE == 33 || CASE == 34
// a histogram by a section of a pointer, or half atomic
static void count(const unsigned char* text, int n, int* bins) {
#if RACY
#pragma omp parallel for num_threads(4)
#else
#pragma omp parallel for reduction(+ : bins[0 : 16]) num_threads(4)
#endif
    for (int i = 0; i < n; ++i) {
        if (text[i] & 1) {
            bins[text[i] >> 4]++;  // race(34): bins
        } else {
#if RACY
#pragma omp atomic
#endif
            bins[text[i] >> 4]++;  // race(34): bins
        }
    }
}
int main(void) {
    unsigned char text[400];
    int bins[16] = {0};
    for (int i = 0; i < 400; ++i) text[i] = i * 29;
    count(text, 400, bins);
    printf("%d\n", bins[2]);
}
#elif CASE == 35 || CASE == 36
// who is chosen prepares, the others wait or do not
int main(void) {
    int limit = 0, out[4];
#pragma omp parallel num_threads(4)
    {
#pragma omp masked filter(2)
        limit = 77;  // race(35): limit
#if !RACY
#pragma omp barrier
#endif
        out[omp_get_thread_num()] = limit;  // race(35): limit
    }
    printf("%d\n", out[3]);
}
#elif CASE == 37 || CASE == 38
// sums of all numbers before
int main(void) {
    enum { LEN = 160 };
    int in[LEN], out[LEN], sum = 0;
    for (int i = 0; i < LEN; ++i) in[i] = i % 7;
#if RACY
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < LEN; ++i) {
        sum += in[i];  // race(37): sum
        out[i] = sum;  // race(37): sum
    }
#else
#pragma omp parallel for reduction(inscan, + : sum) num_threads(4)
    for (int i = 0; i < LEN; ++i) {
        sum += in[i];
#pragma omp scan inclusive(sum)
        out[i] = sum;
    }
#endif
    printf("%d\n", out[LEN - 1]);
}
#elif CASE == 39 || CASE == 40
// places by a table that is a permutation, or folds
int main(void) {
    enum { LEN = 128 };
    int where[LEN];
    double *values = malloc(LEN * sizeof *values), *add = malloc(LEN * sizeof *add);
    for (int i = 0; i < LEN; ++i) {
        where[i] = RACY ? (i * 5) % (LEN / 2) : (i * 5) % LEN;
        values[i] = i;
        add[i] = 1.0 / (i + 1);
    }
#pragma omp parallel for schedule(guided, 4) num_threads(4)
    for (int i = 0; i < LEN; ++i) values[where[i]] += add[i];  // race(40): values
    printf("%f\n", values[3]);
    free(values);
    free(add);
}
#elif CASE == 41 || CASE == 42
// each block with a halo, exchanged behind a barrier
int main(void) {
    enum { T = 4, W = 10 };
    double block[T][W + 2] = {{0}};
#pragma omp parallel num_threads(T)
    {
        int me = omp_get_thread_num();
        for (int i = 1; i <= W; ++i) block[me][i] = me + i;  // race(42): left right
#if !RACY
#pragma omp barrier
#endif
        if (me > 0) block[me][0] = block[me - 1][W];          // race(42): left
        if (me < T - 1) block[me][W + 1] = block[me + 1][1];  // race(42): right
    }
    printf("%f\n", block[1][0]);
}
#elif CASE == 43 || CASE == 44
// rows of a triangle, by pointers to their begins
int main(void) {
    enum { ROWS = 24 };
    int* rows[ROWS];
    int* all = calloc(ROWS * ROWS, sizeof *all);
    for (int i = 0, at = 0; i < ROWS; ++i) {
        rows[i] = all + at;
        at += i + (RACY ? 0 : 1);  // the diagonal's place, too
    }
#pragma omp parallel for schedule(static, 1) num_threads(4)
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j <= i; ++j) rows[i][j] = i - j;  // race(43): cell
    printf("%d\n", all[5]);
    free(all);
}
#elif CASE == 45 || CASE == 46
// an if clause that makes the team, or does not
static void fill_all(int* v, int n, int* count) {
#pragma omp parallel for if (n > 32) num_threads(4)
    for (int i = 0; i < n; ++i) {
        v[i] = i;
        *count = *count + 1;  // race(45): count
    }
}
int main(void) {
    int v[64], count = 0;
    fill_all(v, RACY ? 64 : 20, &count);
    printf("%d\n", count);
}
#elif CASE == 47 || CASE == 48
// a work array that each thread has, or all have
static double norm(const double* v, int n, double* work) {
    double s = 0;
    for (int i = 0; i < n; ++i) work[i] = v[i] * v[i];  // race(48): work
    for (int i = 0; i < n; ++i) s += work[i];           // race(48): work
    return s;
}
int main(void) {
    enum { ROWS = 12, LEN = 20 };
    double m[ROWS][LEN], norms[ROWS], shared_work[LEN];
    for (int i = 0; i < ROWS * LEN; ++i) m[i / LEN][i % LEN] = i;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < ROWS; ++i) {
        double work[LEN];
        norms[i] = norm(m[i], LEN, RACY ? shared_work : work);
    }
    printf("%f\n", norms[2]);
}
#elif CASE == 49 || CASE == 50
// red points, then black ones, or all at once
int main(void) {
    enum { S = 18 };
    static double g[S][S];
    for (int i = 0; i < S; ++i) g[i][0] = g[0][i] = 1.0;
#pragma omp parallel num_threads(4)
    for (int colour = 0; colour < 2; ++colour) {
#pragma omp for
        for (int i = 1; i < S - 1; ++i)
            for (int j = 1 + (RACY ? 0 : (i + colour) % 2); j < S - 1; j += RACY ? 1 : 2)
                g[i][j] = 0.25 * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]);  // race(50): g
    }
    printf("%f\n", g[3][3]);
}
#endif
