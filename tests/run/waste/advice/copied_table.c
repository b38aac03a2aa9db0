// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: a table that never changes is copied for each use. FIXED: it is used in its place.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Table {
    long weights[1024];
};
static struct Table shared;

__attribute__((noinline)) static long weigh(unsigned seed) {
#ifdef FIXED
    const struct Table *const table = &shared;
#else
    static struct Table copy, *const table = &copy;
    memcpy(table, &shared, sizeof *table); // WASTE: copied
#endif
    long sum = 0;
    for (int i = 0; i < 100; ++i) {
        seed = seed * 1103515245 + 12345;
        sum += table->weights[seed >> 16 & 1023];
    }
    return sum;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 300;
    for (int i = 0; i < 1024; ++i)
        shared.weights[i] = i * 7 + 1;
    long sum = 0;
    for (int i = 0; i < rounds; ++i)
        sum += weigh((unsigned)i);
    printf("%ld\n", sum);
    return 0;
}
