// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: 0.0 is fully redundant, -0.0 has a sign
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1000
// ZEROS: row load type=float loads=N zero=N/2 redmap=N,N,N,N,N,N,N,N,N,N/2 fraction=19/20
// ZEROS: object table redundant=10*N-N/2 loaded=10*N loadedredundant=10*N-N/2
#include "loads.h"

static double table[N] __attribute__((aligned(64)));

int main(void) {
    for (int i = 0; i < N; ++i) table[i] = i % 2 ? -0.0 : 0.0;
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
