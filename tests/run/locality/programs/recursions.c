// SPDX-License-Identifier: GPL-2.0-or-later
// Locals of functions that call themselves, or each other, and arrays of callers that they use.
#include <stdio.h>

enum { LENGTH = 500, DEPTH = 30 };

static int walk(int depth, int* seen) {
    int here[6];
    for (int i = 0; i < 6; ++i) here[i] = depth + i;
    ++seen[depth];
    if (depth == 0) return 1;
    int total = walk(depth - 1, seen);
    for (int i = 0; i < 6; ++i) total += here[i];
    return total;
}

static int odd(int n);
static int even(int n) {
    volatile int pair[3];
    pair[0] = n;
    return n == 0 ? 1 : odd(n - 1) + pair[0] * 0;
}
static int odd(int n) {
    volatile int row[9];
    row[0] = n;
    return n == 0 ? 0 : even(n - 1) + row[0] * 0;
}

static void sort(int* values, int low, int high) {
    if (low >= high) return;
    const int pivot = values[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (values[i] < pivot) ++i;
        while (values[j] > pivot) --j;
        if (i > j) break;
        const int kept = values[i];
        values[i++] = values[j];
        values[j--] = kept;
    }
    sort(values, low, j);
    sort(values, i, high);
}

int main(void) {
    int seen[DEPTH + 1] = {0}, values[LENGTH], total = 0;
    unsigned random = 1;
    for (int i = 0; i < 50; ++i) total += walk(DEPTH, seen);
    for (int i = 0; i < LENGTH; ++i) values[i] = (int)((random = random * 1103515245 + 12345) >> 8);
    sort(values, 0, LENGTH - 1);
    printf("%d %d\n", total + even(20), values[0]);
    return 0;
}
