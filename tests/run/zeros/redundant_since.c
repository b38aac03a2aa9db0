// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: one early pass of other values does not hide that an object is redundant later: its share of loads says so, and
// from when on; so with small values, and with blocks; an object that is redundant from the start, or becomes less
// so, has no such time
// ARGS: --zeros=data --contention=no
// ALSO: --defects=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2
// SET: N=1000 K=12000
// ZEROS: object sparse accessed=8*N redundant=0 loaded=8*N*K loadedredundant=8*N*K*9/10 since>=40 since<=200
// ZEROS: object small accessed=8*N redundant=0 loadedredundant=7*N*K*9/10 since>=40 since<=200
// ZEROS: object heap:made accessed=8*N redundant=0 loadedredundant=8*N*K*9/10 since>=40 since<=200
// ZEROS: object always redundant=7*N loadedredundant=7*N*K since=0
// ZEROS: object filled redundant=0 loadedredundant=8*N*K/10 since=0
#include "loads.h"

static int64_t sparse[N] __attribute__((aligned(64))), small[N] __attribute__((aligned(64)));
static int64_t always[N] __attribute__((aligned(64))), filled[N] __attribute__((aligned(64)));

int main(void) {
    int64_t sum = 0;
    int64_t *block = malloc(8 * N); /* label: made */
    NEED(block);
    for (int i = 0; i < N; ++i) {
        STORE(sparse[i], -1);
        STORE(small[i], -1);
        STORE(block[i], -1);
        STORE(always[i], 1);
    }
    for (int k = 0; k < K; ++k) {
        for (int i = 0; k == K / 10 && i < N; ++i) {
            STORE(sparse[i], 0);
            STORE(small[i], 1);
            STORE(block[i], 0);
            STORE(filled[i], -1);
        }
        for (int i = 0; i < N; ++i)
            sum += LOAD(sparse[i]) + LOAD(small[i]) + LOAD(block[i]) + LOAD(always[i]) + LOAD(filled[i]);
    }
    USE(sum);
    free(block);
    return 0;
}
