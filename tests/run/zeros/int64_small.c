// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: words with values under 256 are seven eighths zeros, and a byte would be sufficient
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2
// ALSO: --defects=no
// ZEROS: row load loads=N elements=N zero=0 fraction=7/8 redmap=0,N,N,N,N,N,N,N advice=narrow:uint8_t unknown=0 type=integer element=8
// ZEROS: object table blocks=1 size=8*N accessed=8*N redundant=7*N columns=8:1-7 advice=narrow:uint8_t zero8=0 accessed8=N
// SET: N=1000
#include "loads.h"

static int64_t table[N];

int main(int argc, char** argv) {
    for (int i = 0; i < N; ++i) table[i] = i % 255 + 1;
    int64_t sum = argc;  // an addition to a known 0 would not be a use: on ARM64 Valgrind turns it into a copy
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
