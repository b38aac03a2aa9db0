// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a byte is redundant if it is redundant at every load, whatever the width
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1000
// ZEROS: row wide redmap=0,0,0,N,N,N,N,N
// ZEROS: row narrow redundant=0 loads=N
// ZEROS: object table accessed=8*N redundant=5*N
#include "loads.h"

static uint64_t table[N];

int main(void) {
    uint64_t sum = 0;
    for (int i = 0; i < N; ++i) STORE(table[i], 0x10101);
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: wide */
    for (int i = 0; i < N; ++i) sum += *(const volatile uint16_t*)&table[i]; /* label: narrow */
    USE(sum);
    return 0;
}
