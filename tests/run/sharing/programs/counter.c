// SPDX-License-Identifier: GPL-2.0-or-later
// All threads add to one counter.
// EXPECT: TrueSharing total 'Several threads only add to total: keep a copy for each thread.*removes'
#include "../../include/workers.h"
static LINE_ALIGNED long total;
static char end[LINE] __attribute__((unused));

static void work(int index) {
    (void)index;
#ifdef MENDED
    volatile long own = 0;
    for (int i = 0; i < 20000; ++i) own++;
    __atomic_fetch_add(&total, own, __ATOMIC_RELAXED);
#else
    for (int i = 0; i < 20000; ++i) __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
#endif
}

int main(void) {
    run_together(4, work);
    return total == 80000 ? 0 : 1;
}
