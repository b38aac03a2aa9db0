// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: code that ran fast ten thousand times, then meets undefined data, and then not again, always computes the
// same.
// COMPILE: gcc clang -O0 -O2
// EXPECT: nothing
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

NOINLINE static uint32_t mix(uint32_t* cells, int n) {
    uint32_t h = 7;
    for (int i = 0; i < n; i++) {
        uint32_t x = cells[2 * i];
        cells[2 * i] = x + 1;
        cells[2 * i + 1] ^= 0x55;       // undefined in the second round: read, changed, stored
        h = (h << 5 | h >> 27) + x;
    }
    return h;
}

int main(void) {
    uint32_t* good = HIDE((uint32_t*)calloc(200, 4));
    uint32_t* half = HIDE((uint32_t*)malloc(800));
    for (int i = 0; i < 100; i++) half[2 * i] = 0;
    for (int round = 0; round < 300; round++) {
        uint32_t a = mix(good, 100);
        uint32_t b = mix(half, 100);
        if (a != b) return 1;
    }
    free(good);
    free(half);
    return 0;
}
