/* SPDX-License-Identifier: GPL-2.0-or-later
   Arrays whose lengths are known when they begin: three of one line, whose function calls another one with them; some of
   a function that is called with many lengths; memory from alloca(). */
#include <alloca.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static void multiply(int n, volatile double left[n][n], volatile double right[n][n], volatile double product[n][n]) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
}

struct cell {
    long value, weight;
};

NOINLINE static long weigh(int count) {
    volatile struct cell cells[count];
    volatile long sums[count];
    for (int i = 0; i < count; ++i) {
        cells[i].value = i;
        cells[i].weight = 2;
    }
    for (int i = 0; i < count; ++i) sums[i] = cells[i].value * cells[i].weight;
    long all = 0;
    for (int i = 0; i < count; ++i) all += sums[i];
    return all;
}

NOINLINE static int scratch(int count) {
    volatile int* bins = alloca((unsigned long)count * sizeof(int));
    for (int i = 0; i < count; ++i) bins[i] = i;
    int all = 0;
    for (int i = 0; i < count; ++i) all += bins[i];
    return all;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? argv[1][0] : 30;
    volatile double left[n][n], right[n][n], product[n][n];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            left[i][j] = i;
            right[i][j] = j;
        }
    multiply(n, left, right, product);
    long all = 0;
    for (int count = 10 + argc; count < 40; ++count) all += weigh(count) + scratch(count);
    return product[n - 1][n - 1] < 0 || all == 0;
}
