// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two threads add to counters in one cache line, one of them deep in calls. main waits until its input ends or, with
// an argument, until each thread has made that many additions. A line of output says that both are at work. From the
// first input on, the deep one is in other calls.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile struct { int a, b; } counters __attribute__((aligned(64)));
static volatile int done, moved;
static volatile int at_work[2][64];
static long rounds;

__attribute__((noinline)) static void add(volatile int* counter, int who) {
    const long most = rounds ? rounds : 2000;
    for (long i = 0; i < most; i++) {
        (*counter)++;
        if (i == 1000) at_work[who][0] = 1;
    }
}
__attribute__((noinline)) static void deep(volatile int* counter, int calls) {
    if (calls == 0)
        add(counter, 0);
    else
        deep(counter, calls - 1);
    __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) static void detour(volatile int* counter) {
    volatile char room[100];
    room[0] = 0;
    do deep(counter, 2);
    while (!done);
    room[1] = 1;
}
static void* run_deep(void* unused) {
    do deep(&counters.a, 5);
    while (!rounds && !moved && !done);
    if (moved) detour(&counters.a);
    return 0;
}
static void* run_flat(void* unused) {
    do add(&counters.b, 1);
    while (!rounds && !done);
    return 0;
}

int main(int argc, char** argv) {
    if (argc > 1) rounds = atol(argv[1]);
    pthread_t threads[2];
    pthread_create(&threads[0], 0, run_deep, 0);
    pthread_create(&threads[1], 0, run_flat, 0);
    struct pollfd input = {0, POLLIN, 0};
    while (!at_work[0][0] || !at_work[1][0]) poll(0, 0, 5);
    puts("at work");
    fflush(stdout);
    char byte;
    while (!rounds && (poll(&input, 1, 5) == 0 || read(0, &byte, 1) == 1)) moved |= input.revents != 0;
    done = 1;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
