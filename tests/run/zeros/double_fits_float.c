// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: doubles with short mantissas get the advice to use float
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1000
// ZEROS: row load type=float advice=narrow:float
// ZEROS: row full type=float advice=none
#include "loads.h"

static double table[N];
static double fine[N];

int main(void) {
    for (int i = 0; i < N; ++i) {
        table[i] = 0.125 * (i + 1);
        fine[i] = 1.0 / (3 + i);
    }
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    for (int i = 0; i < N; ++i) sum += LOAD(fine[i]); /* label: full */
    USE(sum);
    return 0;
}
