// SPDX-License-Identifier: GPL-2.0-or-later
// One thread allocates small blocks, and others write to one each.
// EXPECT: FalseSharing heap '[Aa]lign the blocks to 64'
#include "../../include/workers.h"
static volatile long* blocks[4] LINE_ALIGNED;

static void work(int index) {
    volatile long* own = blocks[index];
    for (int i = 0; i < 20000; ++i) ++*own;
}

int main(void) {
    for (int i = 0; i < 4; ++i)
#ifdef MENDED
        blocks[i] = aligned_alloc(LINE, LINE);
#else
        blocks[i] = malloc(sizeof(long));
#endif
    for (int i = 0; i < 4; ++i) *blocks[i] = 0;
    run_together(4, work);
    return *blocks[3] == 20000 ? 0 : 1;
}
