// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a mostly zero factor gets the advice to test it
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1000
// ZEROS: row factor type=float loads=N zero=N*4/5 advice=skip
// ZEROS: row other type=float advice=!skip
#include "loads.h"

static double factors[N];
static double values[N];

int main(void) {
    for (int i = 0; i < N; ++i) {
        STORE(factors[i], i % 5 == 2 ? 1.0 / 3 : 0);
        STORE(values[i], 1.0 / (i + 1));
    }
    double sum = 0;
    for (int i = 0; i < N; ++i)
        sum += LOAD(factors[i]) /* label: factor */
               * LOAD(values[i]); /* label: other */
    USE(sum);
    return 0;
}
