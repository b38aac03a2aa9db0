// SPDX-License-Identifier: GPL-2.0-or-later
// Main allocates a small block for each thread, out of one large one that it divides.
// EXPECT: FalseSharing - '.'
#include "../../include/workers.h"
#ifdef MENDED
enum { SIZE = 64 };
#else
enum { SIZE = 16 };
#endif
static volatile long* mine[4];

static void work(int index) {
    volatile long* own = mine[index];
    for (int i = 0; i < 1500; ++i) {
        pass_time(20);
        own[0] += i;
        own[1] ^= i;
    }
}

int main(void) {
    char* arena = aligned_alloc(LINE, 4 * LINE);
    for (int i = 0; i < 4; ++i) mine[i] = (volatile long*)(arena + i * SIZE);
    run_together(4, work);
    return 0;
}
