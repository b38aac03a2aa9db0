// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an int whose values need two bytes gets the advice to be a uint16_t
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1000
// ZEROS: row load loads=N redundant=2*N redmap=0,0,N,N advice=narrow:uint16_t element=4
// ZEROS: object table redundant=2*N columns=4:2-3 advice=narrow:uint16_t
#include "loads.h"

static uint32_t table[N];

int main(void) {
    for (int i = 0; i < N; ++i) table[i] = 256 + i * 65;
    uint32_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
