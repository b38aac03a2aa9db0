// SPDX-License-Identifier: GPL-2.0-or-later
//
// One expression with four loads of doubles, nearly all of them 0, and another line with one.
#include <stdio.h>

enum { N = 40000 };
static volatile double before[N + 2], after[N + 2];

int main(void) {
    double sum = 0;
    before[N / 2] = 1;
    for (int round = 0; round < 3; ++round)
        for (int i = 1; i <= N; ++i) {
            after[i] = 0.25 * before[i - 1] + 0.5 * before[i] + 0.25 * before[i + 1] + before[N - i];
            sum += before[i];
        }
    printf("%g %g\n", sum, after[1]);
    return 0;
}
