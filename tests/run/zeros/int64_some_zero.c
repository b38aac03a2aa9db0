// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: values that are zero are distinguished from those with one significant byte
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1000
// ZEROS: row load loads=N zero=N/4 redundant=7*N+N/4 redmap=N/4,N,N,N,N,N,N,N
// ZEROS: object table accessed=8*N redundant=7*N+N/4 accessed8=N zero8=N/4 zero64=0
#include "loads.h"

static int64_t table[N];

int main(void) {
    for (int i = 0; i < N; ++i) table[i] = i % 4;
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
