// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: all blocks of one allocation stack are one object, freed or not
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=100
// ZEROS: object heap:small blocks=N size=32*N accessed=32*N redundant=28*N zero8=0 map=0..0:N/0 map=1..7:7*N/7*N
// ZEROS: object heap:large blocks=1 size=8000 accessed=8000 redundant=8000 advice=constant
#include "loads.h"

int main(void) {
    int64_t* blocks[N];
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) {
        blocks[i] = (int64_t*)malloc(32); /* label: small */
        for (int j = 0; j < 4; ++j) STORE(blocks[i][j], i + 1);
    }
    int64_t* zeros = (int64_t*)calloc(1000, 8); /* label: large */
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < 4; ++j) sum += LOAD(blocks[i][j]);
    for (int i = 0; i < 1000; ++i) sum += LOAD(zeros[i]);
    USE(sum);
    for (int i = 0; i < N; i += 2) free(blocks[i]);
    for (int i = 1; i < N; i += 2) free(blocks[i]);
    free(zeros);
    return 0;
}
