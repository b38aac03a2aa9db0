// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thread's stack is one object
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2 -pthread
// SET: N=1000
// ZEROS: object stack:1 accessed>=8*N accessed<=8*N+60000
// Earlier code of the thread has loaded other bytes from some of the places.
// ZEROS: object stack:2 accessed>=8*N accessed<=8*N+20000 redundant>=7*N-200
#include "loads.h"

static void sum_up(int index) {
    int64_t table[N];
    for (int i = 0; i < N; ++i) STORE(table[i], i % 255 + 1);
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]);
    USE(sum + index);
}

int main(void) {
    sum_up(0);
    run_threads(1, sum_up);
    return 0;
}
