// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: values of three bytes leave a byte of an int redundant, but no type is narrower
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1000
// ZEROS: row load fraction=1/4 redmap=0,0,0,N advice=none
// ZEROS: object table redundant=N columns=4:3-3
#include "loads.h"

static uint32_t table[N];

int main(void) {
    for (int i = 0; i < N; ++i) table[i] = 0x800000u + (uint32_t)i * 7919u % 0x7FFFFFu;
    uint32_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
