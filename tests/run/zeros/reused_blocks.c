// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: memory that is freed and reused starts without marks, even for another object
// ARGS: --zeros=all --contention=no --freelist-vol=0
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=100
// ZEROS: object heap:full blocks=N accessed=64*N redundant=0
// ZEROS: object heap:empty blocks=N accessed=64*N redundant=64*N
#include "loads.h"

int main(void) {
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) {
        int64_t* full = (int64_t*)malloc(64); /* label: full */
        for (int j = 0; j < 8; ++j) STORE(full[j], -1);
        for (int j = 0; j < 8; ++j) sum += LOAD(full[j]);
        free(full);
        int64_t* empty = (int64_t*)malloc(64); /* label: empty */
        for (int j = 0; j < 8; ++j) STORE(empty[j], 0);
        for (int j = 0; j < 8; ++j) sum += LOAD(empty[j]);
        free(empty);
    }
    USE(sum);
    return 0;
}
