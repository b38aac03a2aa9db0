// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: vector loads of doubles count by element and cell
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O3 -ffast-math -gdwarf-4
// SET: N=1024
// ZEROS: row load type=float element=8 elements=N zero=N/2 redmap=N,N,N,N,N,N,N,N,N/2,N loads<=N/2
// ZEROS: row load lanes=2 loads>=1
#include "loads.h"

static double table[N] __attribute__((aligned(64)));

int main(void) {
    for (int i = 0; i < N; ++i) *(volatile double*)&table[i] = i % 2 ? 0 : 2;
    BARRIER();
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += table[i]; /* label: load */
    USE(sum);
    return 0;
}
