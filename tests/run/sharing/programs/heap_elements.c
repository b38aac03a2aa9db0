// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has a structure of an array on the heap, which a wrapper of malloc allocates.
// EXPECT: FalseSharing 'heap block accounts of main' 'Pad each element of accounts .24 bytes. to 64 .*on the first member of struct account .heap_elements.c:[0-9]+.*To change: main .heap_elements.c:[0-9]+'
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
static struct account* all;

static __attribute__((noinline)) void* checked_malloc(size_t size) {
    void* block = aligned_alloc(sizeof(struct account) % 64 == 0 ? 64 : 16, (size + 63) / 64 * 64);
    if (block == NULL) exit(1);
    return block;
}

static void work(int index) {
    struct account* const own = &all[index];
    for (int i = 0; i < 20000; ++i) {
        own->withdrawals++;
        own->deposits++;
        own->last = i;
    }
}

int main(void) {
    struct account* accounts = checked_malloc(4 * sizeof *accounts);
    all = accounts;
    for (int i = 0; i < 4; ++i) {
        accounts[i].deposits = accounts[i].withdrawals = 0;
        accounts[i].last = 0;
    }
    run_together(4, work);
    const int wrong = accounts[0].last != 19999;
    free(accounts);
    return wrong;
}
