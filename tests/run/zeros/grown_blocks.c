// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block that realloc moves ends, and the new one begins with no byte accessed
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=64
// ZEROS: object heap:first blocks=1 size=8*N accessed=8*N redundant=7*N
// ZEROS: object heap:grown blocks=1 size=16*N accessed=8 redundant=7
#include "loads.h"

int main(void) {
    int64_t* block = (int64_t*)malloc(8 * N); /* label: first */
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) STORE(block[i], i + 1);
    for (int i = 0; i < N; ++i) sum += LOAD(block[i]);
    block = (int64_t*)realloc(block, 16 * N); /* label: grown */
    sum += LOAD(block[3]);
    USE(sum);
    free(block);
    return 0;
}
