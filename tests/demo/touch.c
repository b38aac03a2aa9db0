// SPDX-License-Identifier: GPL-2.0-or-later
// Four threads add up parts of an array. The kernel gives a page to the node of the thread that touches it first.
// -DFIXED lets each thread set its own part.
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 4, kPart = 16384, kRounds = 4 };
static double values[kThreads * kPart], sums[kThreads * 8];

static void set(int part) {
    for (int i = part * kPart; i < (part + 1) * kPart; ++i) values[i] = i % 7;
}

static void *add_up(void *argument) {
    const int part = (int)(long)argument;
#ifdef FIXED
    set(part);
#endif
    double sum = 0;
    for (int round = 0; round < kRounds; ++round)
        for (int i = part * kPart; i < (part + 1) * kPart; ++i) sum += values[i];
    sums[part * 8] = sum;
    return NULL;
}

int main(void) {
    pthread_t threads[kThreads];
#ifndef FIXED
    for (int part = 0; part < kThreads; ++part) set(part);
#endif
    for (long part = 0; part < kThreads; ++part) pthread_create(&threads[part], NULL, add_up, (void *)part);
    for (int part = 0; part < kThreads; ++part) pthread_join(threads[part], NULL);
    printf("%g\n", sums[0] + sums[8] + sums[16] + sums[24]);
    return 0;
}
