// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of functions: arrays that callees use, parameters, recursion, arrays of variable length around calls, one on
// the first thread's stack that others use, and the threads' own.
#include <pthread.h>

enum { COUNT = 500, THREADS = 3, DEPTH = 20 };
struct Pair {
    long first, second[4];
};

__attribute__((noinline)) static void fill(volatile long* values, int count) {
    for (int i = 0; i < count; ++i) values[i] = i;
}

__attribute__((noinline)) static long sum_of(const volatile long* values, int count) {
    long sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];
    return sum;
}

__attribute__((noinline)) static long deep(int depth) {
    volatile long here[8];
    fill(here, 8);
    if (depth == 0) return sum_of(here, 8);
    return here[depth & 7] + deep(depth - 1);
}

// Callees' frames are deeper with a larger `count`.
__attribute__((noinline)) static long stretched(int count) {
    volatile long before[16], run[count];
    fill(run, count);
    fill(before, 16);
    return sum_of(before, 16);
}

static void* work(void* argument) {
    volatile long* const board = argument;
    volatile long own = 0;
    for (int i = 0; i < COUNT; ++i) own += board[i % 10];
    return (void*)own;
}

int main(void) {
    volatile long table[COUNT], board[10];
    volatile struct Pair pair = {0, {0}};
    static volatile long calls;
    fill(table, COUNT);
    fill(board, 10);
    for (int round = 0; round < 4; ++round) {
        pair.second[round] = sum_of(table, COUNT);
        ++calls;
    }
    pair.first = deep(DEPTH);
    for (int count = 10; count < 60; ++count) pair.first += stretched(count);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, work, (void*)board);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
    return pair.second[3] == COUNT * (COUNT - 1) / 2 && calls == 4 ? 0 : 1;
}
