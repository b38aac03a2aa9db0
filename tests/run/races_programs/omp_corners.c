// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp -latomic
// Corners of OpenMP: events of tasks, dependence objects, reductions of one's own, orphaned loops, odd types.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 240 };
static int a[N + 16], b[N + 16], grid[N][N + 1], x, y, sum, results[64];
static unsigned bits[N / 32 + 1];
static long double wide;
static short narrow[8];
struct node {
    struct node* next;
    int value;
};
struct pair {
    int low, high;
};
#pragma omp declare reduction(widen : struct pair : omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low, \
                                  omp_out.high = omp_in.high > omp_out.high ? omp_in.high : omp_out.high)              \
    initializer(omp_priv = (struct pair){1 << 30, -(1 << 30)})
__attribute__((noinline)) static void scale(int* of, int n, int by) {
#pragma omp for
    for (int i = 0; i < n; i++) of[i] = i * by;
}
__attribute__((noinline)) static void shift(int* to, const int* from, int n) {
#pragma omp for nowait
    for (int i = 0; i < n; i++) to[i] = from[i] + 1;  // race(4): from
#if CASE == 4
#pragma omp for nowait
    for (int i = 0; i < n; i++) to[n - 1 - i] *= 2;  // race(4): from
#endif
}
int main(void) {
    int i = 0, j = 0;
    for (i = 0; i < N; i++) b[i] = (i * 7) % N;
    (void)j;
#if CASE == 1  // a detached task is done when its event is told
    omp_event_handle_t event;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task detach(event) depend(out : x)
        y = 1;
#pragma omp task
        {
            a[0] = 3;
            omp_fulfill_event(event);
        }
#pragma omp task depend(in : x)
        results[0] = a[0] + y;
    }
#elif CASE == 2  // the event is told too early
    omp_event_handle_t event;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task detach(event) depend(out : x)
        y = 1;
#pragma omp task
        {
            omp_fulfill_event(event);
            a[0] = 3;  // race: a
        }
#pragma omp task depend(in : x)
        results[0] = a[0] + y;  // race: a
    }
#elif CASE == 3  // loops of functions, each with its barrier
#pragma omp parallel num_threads(3)
    {
        scale(a, N, 3);
        scale(b, N, 2);
        shift(a, b, N);
    }
#elif CASE == 4  // without, and another order of the same array
#pragma omp parallel num_threads(3)
    shift(a, b, N);
#elif CASE == 5  // a dependence that is kept in an object
    omp_depend_t out, in;
#pragma omp depobj(out) depend(inout : x)
#pragma omp depobj(in) depend(in : x)
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(depobj : out)
        x = 1;
#pragma omp task depend(depobj : in)
        results[0] = x;
#pragma omp task depend(depobj : in)
        results[1] = x;
    }
#pragma omp depobj(out) destroy
#pragma omp depobj(in) destroy
#elif CASE == 6  // the writer's object only says that it reads
    omp_depend_t out, in;
#pragma omp depobj(out) depend(in : x)
#pragma omp depobj(in) depend(in : x)
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(depobj : out)
        x = 1;  // race: x
#pragma omp task depend(depobj : in)
        results[0] = x;  // race: x
    }
#elif CASE == 7  // a reduction of the program's own
    struct pair range = {1 << 30, -(1 << 30)};
#pragma omp parallel for reduction(widen : range) num_threads(5)
    for (i = 0; i < N; i++) {
        if (b[i] < range.low) range.low = b[i];
        if (b[i] > range.high) range.high = b[i];
    }
    results[0] = range.high - range.low;
#elif CASE == 8  // by hand, without
    struct pair range = {1 << 30, -(1 << 30)};
#pragma omp parallel for num_threads(5)
    for (i = 0; i < N; i++) {
        KEEP;
        if (b[i] < range.low) range.low = b[i];      // race: low
        if (b[i] > range.high) range.high = b[i];    // race: high
    }
    results[0] = range.high - range.low;
#elif CASE == 9  // bits of one word
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) bits[i / 32] |= 1u << i % 32;  // race: bits
#elif CASE == 10  // words of bits, each of one iteration
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N / 32; i++)
        for (int k = 0; k < 32; k++) bits[i] |= (unsigned)(b[i * 32 + k] & 1) << k;
#elif CASE == 11  // a type that no instruction updates
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
#pragma omp atomic
        wide += i;
    }
#elif CASE == 12  // and its plain sum
#pragma omp parallel for num_threads(4)    // race: wide
    for (i = 0; i < N; i++) wide += i;  // race: wide
#elif CASE == 13  // two bytes beside each other, atomically and plainly
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
        narrow[0]++;
        if (omp_get_thread_num() == 1) narrow[1]++;
    }
#elif CASE == 14  // tasks of a shared loop are no siblings
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (i = 0; i < 8; i++) {
#pragma omp task depend(inout : x)
        x += i;  // race: x
    }
#elif CASE == 15  // tasks of one thread that makes them in a loop are
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int k = 0; k < 8; k++) {
#pragma omp task depend(inout : x)
        x += k;
    }
#elif CASE == 16  // a list: each task changes its node
    struct node* first = NULL;
    for (i = 0; i < 20; i++) {
        struct node* n = malloc(sizeof *n);
        n->next = first;
        n->value = i;
        first = n;
    }
#pragma omp parallel num_threads(4)
#pragma omp single
    for (struct node* n = first; n; n = n->next) {
#pragma omp task firstprivate(n)
        n->value *= 2;
    }
#elif CASE == 17  // and the next one
    struct node* first = NULL;
    for (i = 0; i < 20; i++) {
        struct node* n = malloc(sizeof *n);
        n->next = first;
        n->value = i;
        first = n;
    }
#pragma omp parallel num_threads(4)
#pragma omp single
    for (struct node* n = first; n; n = n->next) {
#pragma omp task firstprivate(n)
        if (n->next) n->next->value += n->value;  // race: value
    }
#elif CASE == 18  // a triangle as one loop
#pragma omp parallel for collapse(2) num_threads(4)
    for (i = 0; i < N; i++)
        for (j = 0; j <= 40; j++) grid[i][j] = i * j;
#elif CASE == 19  // what is below the diagonal uses what is above it
#pragma omp parallel for num_threads(4) private(j)
    for (i = 0; i < 40; i++)
        for (j = 0; j < i; j++) grid[i][j] = grid[j][i] = i + j;
#elif CASE == 20  // the diagonal's neighbours belong to two iterations
#pragma omp parallel for num_threads(4) private(j)
    for (i = 1; i < 40; i++)
        for (j = 0; j <= i; j++) grid[i][j] = grid[i - 1][j] + 1;  // race: grid
#elif CASE == 21  // parts of one block are moved onto each other
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (i = 0; i < 8; i++) memmove(a + i * 16, a + i * 16 + 8, 16 * sizeof *a);  // race: a
#elif CASE == 22  // and onto a copy
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (i = 0; i < 8; i++) memcpy(a + i * 16, b + i * 16 + 8, 16 * sizeof *a);
#elif CASE == 23  // each thread's part, one element too long
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num(), part = N / omp_get_num_threads();
        for (int k = t * part; k <= (t + 1) * part; k++) a[k] += b[k];  // race: a
    }
#elif CASE == 24  // and the right length
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num(), part = N / omp_get_num_threads();
        for (int k = t * part; k < (t + 1) * part; k++) a[k] += b[k];
    }
#elif CASE == 25  // a copied pointer leads all to one place
    int* place = NULL;
#pragma omp parallel num_threads(4) firstprivate(place)
    {
#pragma omp single copyprivate(place)
        place = malloc(sizeof *place);
        *place = omp_get_thread_num();  // race: place
    }
#elif CASE == 26  // one place for each
    int* place = NULL;
#pragma omp parallel num_threads(4) firstprivate(place)
    {
#pragma omp single copyprivate(place)
        place = malloc(64 * sizeof *place);
        place[omp_get_thread_num()] = omp_get_thread_num();
    }
#elif CASE == 27  // the iteration before the last one is waited for
#pragma omp parallel for ordered(1) num_threads(4) schedule(static, 1)
    for (i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
        a[i] = a[i - 1] + 1;  // race: a
#pragma omp ordered depend(source)
    }
#elif CASE == 28  // of two, each the right one
#pragma omp parallel for ordered(1) num_threads(4) schedule(static, 1)
    for (i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
        a[i] = a[i - 2] + 1;
#pragma omp ordered depend(source)
    }
#elif CASE == 29  // groups of tasks sum
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    for (int k = 0; k < 10; k++) {
#pragma omp task in_reduction(+ : sum)
        sum += k;
    }
    results[0] = sum;
#elif CASE == 30  // one of the tasks forgets it
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup
    for (int k = 0; k < 10; k++) {
#pragma omp task
        sum += k;  // race: sum
    }
    results[0] = sum;
#elif CASE == 31  // the place that an atomic capture gives, of a block
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
        int at;
#pragma omp atomic capture
        {
            at = x;
            x += 1;
        }
        a[at] = b[i];
    }
#elif CASE == 32  // the sum is captured, the place is loaded again
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
        int at;
#pragma omp atomic capture
        {
            at = x;  // race: x maybe
            x += 1;  // race: x maybe
        }
        a[x] = b[at];  // race: x
    }
#elif CASE == 33  // iterations in any order
#pragma omp parallel num_threads(4)
#pragma omp for order(concurrent)
    for (i = 0; i < N; i++) a[i] = a[i + 1] + 1;  // race: a
#elif CASE == 34  // lanes of eight, threads beside them
#pragma omp parallel for simd safelen(8) num_threads(4)  // race: a
    for (i = 8; i < N; i++) a[i] = a[i - 8] + 1;  // race: a
#elif CASE == 35  // lanes of eight of one thread
#pragma omp simd safelen(8)
    for (i = 8; i < N; i++) a[i] = a[i - 8] + 1;
#elif CASE == 36  // the kernel's variable runs on behind the loop of tasks
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskloop grainsize(16) nogroup
        for (int k = 0; k < N; k++) a[k] = k;
#pragma omp taskwait
#pragma omp taskloop grainsize(20)
        for (int k = 0; k < N; k++) b[k] = a[N - 1 - k];
    }
#elif CASE == 37  // and does not wait
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskloop grainsize(16) nogroup
        for (int k = 0; k < N; k++) a[k] = k;  // race: a
#pragma omp taskloop grainsize(20)
        for (int k = 0; k < N; k++) b[k] = a[N - 1 - k];  // race: a
    }
#elif CASE == 38  // skewed tiles as a compiler makes them
    int t1, t2, lbp, ubp, lbv, ubv;
    for (t1 = 0; t1 < 10; t1++) {
        lbp = t1 / 2;
        ubp = t1;
#pragma omp parallel for private(lbv, ubv, t2) num_threads(4)
        for (int p = lbp; p <= ubp; p++) {
            lbv = 8 * p;
            ubv = 8 * p + 7;
            for (t2 = lbv; t2 <= ubv; t2++) grid[p][t2] = grid[p][t2] + t1;
        }
    }
#elif CASE == 39  // a bound of the tile is shared
    int t1, t2, lbp, ubp, lbv, ubv;
    for (t1 = 0; t1 < 10; t1++) {
        lbp = t1 / 2;
        ubp = t1 + 3;
#pragma omp parallel for private(lbv, t2) num_threads(4)
        for (int p = lbp; p <= ubp; p++) {
            lbv = 8 * p;
            ubv = 8 * p + 7;  // race: ubv
            KEEP;  // race: ubv
            for (t2 = lbv; t2 <= ubv; t2++) grid[p][t2] = grid[p][t2] + t1;  // race: ubv
        }
    }
#elif CASE == 40  // work on the device that nobody waits for
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target map(tofrom : x) nowait depend(out : x)
        x = 1;
#pragma omp task depend(in : x)
        results[0] = x;
    }
#endif
    printf("%d %d %d %d %d %Lf\n", a[0] + a[N / 2] + b[x % N], x, y, sum, results[0] + results[1] + grid[3][4] + narrow[0], wide);
    return 0;
}
