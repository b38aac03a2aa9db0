// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two threads add to counters in one cache line, and change, one after the other and twice each, all lines of `many`,
// and of `few`. The argument is the number of lines of `many`.
#include <pthread.h>
#include <stdlib.h>

#define LINE 64
static volatile struct { int a, b; } counters __attribute__((aligned(LINE)));
static volatile char few[40][LINE] __attribute__((aligned(LINE))), many[10000][LINE] __attribute__((aligned(LINE)));
static pthread_barrier_t turn __attribute__((aligned(LINE)));
static long lines;

static void change_all(void) {
    for (int i = 0; i < 40; i++) few[i][0]++;
    for (long i = 0; i < lines; i++) many[i][0]++;
}
static void* run(void* first) {
    volatile int* counter = first ? &counters.a : &counters.b;
    for (int i = 0; i < 30000; i++) (*counter)++;
    for (int round = 0; round < 4; round++) {
        pthread_barrier_wait(&turn);
        if (round % 2 == (first != 0)) change_all();
    }
    return 0;
}

int main(int argc, char** argv) {
    lines = argc > 1 ? atol(argv[1]) : 0;
    pthread_barrier_init(&turn, 0, 2);
    pthread_t other;
    pthread_create(&other, 0, run, 0);
    run(&other);
    pthread_join(other, 0);
    return 0;
}
