// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: each round clears a buffer that it then fills. FIXED: it does not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 1 << 16 };

static long round_of(unsigned char *buffer, unsigned seed) {
#ifndef FIXED
    memset(buffer, 0, kBytes); // WASTE: clear
#endif
    for (int i = 0; i < kBytes - 512; i += 8)
        *(unsigned long *)(buffer + i) = seed * 2654435761ul + (unsigned)i;
    long sum = 0;
    for (int i = 0; i < kBytes - 512; i += 512)
        sum += buffer[i];
    return sum;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 40;
    unsigned char *buffer = malloc(kBytes);
    long sum = 0;
    for (int i = 0; i < rounds; ++i)
        sum += round_of(buffer, (unsigned)i);
    printf("%ld\n", sum);
    free(buffer);
    return 0;
}
