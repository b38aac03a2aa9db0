// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark of the records themselves: four threads add to counters of their own that stand between those of
// the others, all over a table, and read a word that nobody writes. Nearly every access costs an event.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4, kLines = 2048, kPerLine = 16 };

static _Alignas(64) int table[kLines][kPerLine];
static int rounds = 1;

static void* work(void* argument) {
    const int index = (int)(long)argument;
    unsigned state = 1u;  // all threads visit the same lines at about the same time
    long sum = 0;
    for (int i = 0; i < rounds * kLines; ++i) {
        state = state * 1664525u + 1013904223u;
        int* line = table[(state >> 12) % kLines];
        line[index]++;
        sum += line[kPerLine - 1];
    }
    return (void*)sum;
}

int main(int argc, char** argv) {
    if (argc > 1) rounds = atoi(argv[1]);
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    long sum = 0;
    for (int line = 0; line < kLines; ++line)
        for (int i = 0; i < kPerLine; ++i) sum += table[line][i];
    printf("%ld\n", sum);
    return 0;
}
