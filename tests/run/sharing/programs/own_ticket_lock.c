// SPDX-License-Identifier: GPL-2.0-or-later
// Threads take turns by tickets. Nobody can have several tickets, or a copy of them.
// EXPECT: TrueSharing lock 'do so less often, for more work at a time, or divide what is protected' unsteady
#include <stdatomic.h>
#include "../../include/workers.h"
#ifdef MENDED
#define LOCKS 4
#else
#define LOCKS 1
#endif
static struct {
    LINE_ALIGNED atomic_uint next;
    atomic_uint now_served;
    LINE_ALIGNED volatile long last;
} lock[LOCKS];

static void work(int index) {
    const int mine = index % LOCKS;
    for (int i = 0; i < 2000; ++i) {
        const unsigned ticket = atomic_fetch_add(&lock[mine].next, 1);
        while (atomic_load(&lock[mine].now_served) != ticket) PAUSE();
        if (i % 4 == 0) lock[mine].last = lock[mine].last * 3 + i;
        atomic_store_explicit(&lock[mine].now_served, ticket + 1, memory_order_release);
        for (volatile int k = 0; k < 60;) k = k + 1;
    }
}

int main(void) {
    run_together(4, work);
    return lock[0].now_served > 0 ? 0 : 1;
}
