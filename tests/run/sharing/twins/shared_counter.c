// SPDX-License-Identifier: GPL-2.0-or-later
// All threads add to one atomic counter.
// EXPECT: TrueSharing total 'copy for each thread'
#include <stdatomic.h>
#include "../../include/workers.h"
static LINE_ALIGNED struct {
    _Atomic long count;
    char rest[56];
} total[4];

static void work(int index) {
#ifndef MENDED
    index = 0;
#endif
    for (int i = 0; i < 3000; ++i) {
        atomic_fetch_add_explicit(&total[index].count, 1, memory_order_relaxed);
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other += n;
    }
}

int main(void) {
    run_together(4, work);
    return total[0].count >= 3000 ? 0 : 1;
}
