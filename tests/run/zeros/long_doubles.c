// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: loads by the core's helpers are not values: their bytes are loaded, and none counts as redundant
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// NEEDS: fpu
// SET: N=1000
// ZEROS: row load type=float loads=0
// ZEROS: object table size=16*N accessed=10*N redundant=0
#include "loads.h"

static long double table[N];

int main(void) {
    for (int i = 0; i < N; ++i) STORE(table[i], (long double)i);
    long double sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
