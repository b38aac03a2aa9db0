// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: bytes that are only stored, or not touched at all, are never accessed
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1000
// ZEROS: object table size=8*N accessed=4*N redundant=4*N-N/2 map=0..0:16/14
// ZEROS: object written accessed=0
#include "loads.h"

static int64_t table[N];
static int64_t written[N];

int main(void) {
    for (int i = 0; i < N; ++i) {
        STORE(table[i], i % 255 + 1);
        STORE(written[i], i);
    }
    int64_t sum = 0;
    for (int i = 0; i < N; i += 2) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
