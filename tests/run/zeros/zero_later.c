// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a byte that is zero only later is not redundant
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1024
// ZEROS: row before loads=N redundant=0
// ZEROS: row after loads=N zero=N
// ZEROS: object table accessed=8*N redundant=0 zero8=0 loaded=16*N loadedredundant=8*N
#include "loads.h"

static int64_t table[N] __attribute__((aligned(64)));

int main(void) {
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) STORE(table[i], -1 - i);
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: before */
    for (int i = 0; i < N; ++i) STORE(table[i], 0);
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: after */
    USE(sum);
    return 0;
}
