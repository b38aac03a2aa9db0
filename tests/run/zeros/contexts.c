// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: with --zeros-context=2 a load has a row for each chain of two calls that leads to it, in recursion, too,
// PROVES: whatever the threads
// ARGS: --zeros-context=2 --contention=no
// EXPECT: nothing
// COMPILE: gcc -O1 -O2 -pthread
// SET: THREADS=3 N=100 DEPTH=20
// SET: THREADS=20 N=10 DEPTH=50
// ZEROS: row load rows=3 loads=3*THREADS*N threads=THREADS redundant=21*THREADS*N
// ZEROS: row load rows=1 loads=THREADS*N threads=THREADS
// ZEROS: row recursive rows=3 loads=DEPTH*THREADS threads=THREADS
// ZEROS: row recursive loads=(DEPTH-2)*THREADS threads=THREADS
// ZEROS: row recursive loads=THREADS threads=THREADS
#include "loads.h"

static int64_t table[N + 1];
#define APART __attribute__((noinline, noclone, noipa))

static APART int64_t sum_up(void) {
    int64_t sum = 1; /* 0 + x is no addition, where the translator sees both */
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    return sum;
}
static APART int64_t first(void) { return sum_up() + 1; }
static APART int64_t second(void) { return sum_up() + 2; }
static APART int64_t descend(int depth) {
    const int64_t value = LOAD(table[N]); /* label: recursive */
    if (depth == 0) return value;
    const int64_t below = descend(depth - 1);
    __asm__ volatile("" ::: "memory"); /* else the compiler makes a loop of it */
    return value + below + 1;
}

static void work(int index) {
    int64_t sum = index;
    sum += first();
    sum += first(); /* another chain */
    sum += second();
    sum += descend(DEPTH - 1);
    USE(sum);
}

int main(void) {
    for (int i = 0; i <= N; ++i) table[i] = 1 + i % 200;
    run_together(THREADS, work);
    return 0;
}
