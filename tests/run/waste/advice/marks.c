// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: marks are cleared in each step, though few are set. FIXED: those that were set are cleared.
#include <stdio.h>
#include <stdlib.h>

enum { kNodes = 4000 };
struct Node {
    long distance;
    int seen, next;
};
static struct Node nodes[kNodes];

__attribute__((noinline)) static long walk(int from, int steps) {
#ifndef FIXED
    for (int i = 0; i < kNodes; ++i)
        nodes[i].seen = 0; // WASTE: silent
#endif
    long sum = 0;
    int at = from;
    for (int i = 0; i < steps && !nodes[at].seen; ++i) {
        nodes[at].seen = 1;
        sum += nodes[at].distance;
        at = nodes[at].next;
    }
#ifdef FIXED
    for (at = from; nodes[at].seen; at = nodes[at].next)
        nodes[at].seen = 0;
#endif
    return sum;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < kNodes; ++i) {
        nodes[i].distance = i;
        nodes[i].next = (i * 17 + 5) % kNodes;
    }
    long sum = 0;
    for (int i = 0; i < rounds; ++i)
        sum += walk(i * 13 % kNodes, 20);
    printf("%ld\n", sum);
    return 0;
}
