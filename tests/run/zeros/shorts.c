// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: shorts that fit a byte
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1000
// ZEROS: row load element=2 loads=N redmap=0,N advice=narrow:uint8_t
// ZEROS: object table accessed=2*N redundant=N columns=2:1-1 advice=narrow:uint8_t
#include "loads.h"

static uint16_t table[N];

int main(void) {
    for (int i = 0; i < N; ++i) STORE(table[i], i % 255 + 1);
    unsigned sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
