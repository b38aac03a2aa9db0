// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the cells of doubles: mantissa, exponent and sign, each separately
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2
// SET: N=1000
// ZEROS: row load type=float element=8 loads=N zero=0 redmap=N,N,N,N,N,N,N,N/4,0,N redundant=8*N+N/4
// ZEROS: object table cells=10*N redundant=8*N+N/4 accessed=8*N columns=8:0-5 advice=narrow:float
#include "loads.h"

static double table[N];

int main(void) {
    static const double powers[] = {1, 2, 4, 8};
    for (int i = 0; i < N; ++i) table[i] = powers[i % 4];
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
