// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a sum in 64 bits that never grows beyond three bytes
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1000
// ZEROS: row load loads=N redundant>=5*N advice=narrow:uint32_t
// ZEROS: object total accessed=8 redundant=5 blocks=1
#include "loads.h"

static int64_t total;

int main(void) {
    for (int i = 0; i < N; ++i) *(volatile int64_t*)&total = LOAD(total) + 100; /* label: load */
    return 0;
}
