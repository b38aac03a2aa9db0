// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a byte that was redundant only at first is not
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1024
// ZEROS: row before loads=N zero=N advice=constant
// ZEROS: row after loads=N redundant=0
// ZEROS: object table accessed=8*N redundant=0 advice=none loaded=16*N loadedredundant=8*N since=0
#include "loads.h"

static int64_t table[N] __attribute__((aligned(64)));

int main(void) {
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: before */
    for (int i = 0; i < N; ++i) STORE(table[i], -1 - i);
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: after */
    USE(sum);
    return 0;
}
