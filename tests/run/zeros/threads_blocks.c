// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: 64 threads with blocks of their own: one object, nothing lost
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O2 -pthread
// TIMEOUT: 120
// SET: THREADS=64 N=100
// ZEROS: object heap:block blocks=THREADS size=8*THREADS*N accessed=8*THREADS*N redundant=7*THREADS*N
// ZEROS: row load loads=THREADS*N redmap=0,THREADS*N,THREADS*N,THREADS*N,THREADS*N,THREADS*N,THREADS*N,THREADS*N threads=THREADS
#include "loads.h"

static void work(int index) {
    int64_t* block = (int64_t*)malloc(8 * N); /* label: block */
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) STORE(block[i], 1 + i % 200);
    for (int i = 0; i < N; ++i) sum += LOAD(block[i]); /* label: load */
    USE(sum + index);
    free(block);
}

int main(void) {
    run_together(THREADS, work);
    return 0;
}
