// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: 300,000 allocations, reallocations and frees of mixed sizes keep content intact and are silent.
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include "case.h"

enum { kSlots = 500 };

int main(void) {
    static unsigned char* slot[kSlots];
    static unsigned size[kSlots];
    unsigned seed = 12345;
    for (int i = 0; i < 300000; i++) {
        seed = seed * 1103515245u + 12345u;
        unsigned n = (seed >> 8) % kSlots;
        unsigned want = (seed >> 16) % 700;
        if (!slot[n]) {
            slot[n] = (unsigned char*)malloc(want);
            if (want) slot[n][0] = slot[n][want - 1] = (unsigned char)n;
            size[n] = want;
        } else if (seed & 0x40) {
            if (size[n] && (slot[n][0] != (unsigned char)n || slot[n][size[n] - 1] != (unsigned char)n)) return 1;
            free(slot[n]);
            slot[n] = 0;
        } else {
            want++;
            slot[n] = (unsigned char*)realloc(slot[n], want);
            if (size[n] && slot[n][0] != (unsigned char)n) return 2;
            slot[n][0] = slot[n][want - 1] = (unsigned char)n;
            size[n] = want;
        }
    }
    for (int n = 0; n < kSlots; n++) free(slot[n]);
    return 0;
}
