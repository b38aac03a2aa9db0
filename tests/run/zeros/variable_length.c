// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: arrays of variable length, and memory from alloca(), are one object each for all that their code took, as large as the
// PROVES: largest; what used their bytes before, or since their block was left, says nothing of them
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang gcc -O0 -O2 -pthread
// SET: N=1000
// ZEROS: object local:keys size=8*N accessed=8*N redundant=7*N advice=narrow:uint8_t
// ZEROS: object local:turns size=4*N accessed=4*N redundant=2*N advice=narrow:uint16_t
// ZEROS: object local:depths size=320 accessed=320 redundant=319
// ZEROS: object local:sparse size=16*N accessed=16*N cells=20*N redundant>=17*N redundant<=18*N
// ZEROS: object local:*given size>=8*N size<=8*N+16 accessed=8*N redundant=7*N
// ZEROS: object local:again size=8*N accessed=8*N redundant=7*N
#include <alloca.h>
#include <stdio.h>

#include "loads.h"

static volatile int length = N;

// Leaves bytes that are not zero below its caller.
static void NOINLINE all_wide(void) {
    int64_t wide[4 * N];
    for (int i = 0; i < 4 * N; ++i) STORE(wide[i], -1);
    int64_t sum = 0;
    for (int i = 0; i < 4 * N; ++i) sum += LOAD(wide[i]);
    USE(sum);
}

static void NOINLINE sum_up(int index) {
    int64_t keys[length];
    for (int i = 0; i < N; ++i) STORE(keys[i], i % 255 + 1);
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(keys[i]);
    USE(sum + index);
}

static void NOINLINE takes_turns(int turn, int count) {
    int32_t turns[count];
    for (int i = 0; i < count; ++i) STORE(turns[i], turn == 2 ? 0x1234 : 1);
    int32_t sum = 0;
    for (int i = 0; i < count; ++i) sum += LOAD(turns[i]);
    USE(sum);
}

static int64_t NOINLINE nested(int depth) {
    int64_t depths[20 + depth];
    for (int i = 0; i < 20 + depth; ++i) STORE(depths[i], i == 3 ? depth : 0);
    int64_t sum = depth == 0 ? 0 : nested(depth - 1);
    for (int i = 0; i < 20 + depth; ++i) sum += LOAD(depths[i]);
    return sum;
}

static void NOINLINE given_back(void) {
    int64_t* const given = alloca(sizeof(int64_t) * (size_t)length);
    for (int i = 0; i < N; ++i) STORE(given[i], 7);
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(given[i]);
    USE(sum);
}

// In blocks that it leaves: others have the bytes while it runs.
static void NOINLINE blocks(void) {
    int64_t sum = 0;
    for (int turn = 0; turn < 3; ++turn) {
        {
            double sparse[2 * length];
            for (int i = 0; i < 2 * N; ++i) STORE(sparse[i], i % 8 == 0 ? i + 1 / 3.0 : 0);
            for (int i = 0; i < 2 * N; ++i) sum += LOAD(sparse[i]) > 1;
        }
        all_wide();
        {
            int64_t again[length];
            for (int i = 0; i < N; ++i) STORE(again[i], 9);
            for (int i = 0; i < N; ++i) sum += LOAD(again[i]);
        }
        char text[64];
        sum += snprintf(text, sizeof text, "%d %f", turn, turn / 3.0);
    }
    USE(sum);
}

int main(void) {
    for (int turn = 0; turn < 3; ++turn) {
        all_wide();
        sum_up(0);
        takes_turns(turn, length >> (2 - turn));
        USE(nested(20));
        given_back();
        blocks();
    }
    run_threads(1, sum_up);
    return 0;
}
