// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has a structure of an array on the heap.
// EXPECT: FalseSharing heap 'Pad each element of 24 bytes to 64.*To change: main .heap_elements.c:[0-9]+'
#include <stdlib.h>

#include "../../include/workers.h"
struct account {
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long deposits;
    volatile long withdrawals;
    volatile int last;
};
static struct account* accounts;

static void work(int index) {
    struct account* const own = &accounts[index];
    for (int i = 0; i < 20000; ++i) {
        own->withdrawals++;
        own->deposits++;
        own->last = i;
    }
}

int main(void) {
#ifdef MENDED
    accounts = aligned_alloc(64, 4 * sizeof *accounts);
#else
    accounts = malloc(4 * sizeof *accounts);
#endif
    for (int i = 0; i < 4; ++i) {
        accounts[i].deposits = accounts[i].withdrawals = 0;
        accounts[i].last = 0;
    }
    run_together(4, work);
    const int wrong = accounts[0].last != 19999;
    free(accounts);
    return wrong;
}
