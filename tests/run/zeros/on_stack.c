// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a local variable is one object for all frames of its function, in all threads, whatever used its place before
// PROVES: and after; what is redundant in one frame and not in another is not; what is in no variable is the stack's
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang gcc -O0 -O2 -pthread
// SET: N=1000
// ZEROS: object local:table size=8*N accessed=8*N redundant>=7*N-16 redundant<=7*N blocks=1
// ZEROS: object local:wide size=8*N accessed=8*N redundant=0
// ZEROS: object local:ones size=8*N accessed=8*N cells=10*N redundant=8*N advice=narrow:float
// ZEROS: object local:turns size=4*N accessed=4*N redundant=2*N advice=narrow:uint16_t
// ZEROS: object local:depths size=512 accessed=512 redundant=511
// ZEROS: object stack:1 accessed<=20000
#include "loads.h"

static void NOINLINE sum_up(int index) {
    int64_t table[N];
    for (int i = 0; i < N; ++i) STORE(table[i], i % 255 + 1);
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]);
    USE(sum + index);
}

static void NOINLINE all_wide(void) {
    int64_t wide[N];
    for (int i = 0; i < N; ++i) STORE(wide[i], -1);
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(wide[i]);
    USE(sum);
}

static void NOINLINE takes_turns(int turn) {
    int32_t turns[N];
    for (int i = 0; i < N; ++i) STORE(turns[i], turn == 1 ? 0x1234 : 1);
    int32_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(turns[i]);
    USE(sum);
}

static int64_t NOINLINE nested(int depth) {
    int64_t depths[64];
    for (int i = 0; i < 64; ++i) STORE(depths[i], i == 3 ? depth : 0);
    const int64_t below = depth == 0 ? 0 : nested(depth - 1);
    int64_t sum = below;
    for (int i = 0; i < 64; ++i) sum += LOAD(depths[i]);
    return sum;
}

int main(void) {
    double ones[N];
    for (int i = 0; i < N; ++i) STORE(ones[i], 1.0);
    for (int turn = 0; turn < 3; ++turn) {
        all_wide();
        sum_up(0);
        takes_turns(turn);
        USE(nested(20));
    }
    run_threads(1, sum_up);
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(ones[i]);
    USE(sum);
    return 0;
}
