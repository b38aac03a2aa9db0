// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the program never stores to: the loader sets the addresses in tables, and fills each thread's storage, as
// does who creates a thread.
#include <stdio.h>

static double left[64], right[64];
static double *parts[4] = {left, right, left + 32, right + 32};
static double twice(double x) { return 2 * x; }
static double (*const operations[2])(double) = {twice, twice};
static __thread double zeros[400], ones[4] = {1, 1, 1, 1};

int main(void) {
    double sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum) schedule(static)
    for (int i = 0; i < 64; ++i) sum += parts[i % 4][i / 4] + operations[i % 2](zeros[i] + ones[i % 4]);
    printf("%g\n", sum);
}
