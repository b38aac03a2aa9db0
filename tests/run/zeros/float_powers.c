// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the cells of floats
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1000
// ZEROS: row load type=float element=4 loads=N zero=N/4 redmap=N,N,N,N/4,N
// ZEROS: object table accessed=4*N cells=5*N redundant=4*N+N/4
#include "loads.h"

static float table[N];

int main(void) {
    static const float powers[] = {1, 2, 0, 8};
    for (int i = 0; i < N; ++i) table[i] = powers[i % 4];
    float sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
