// SPDX-License-Identifier: GPL-2.0-or-later
// Readers look at a constant ten times for each look at the word beside it, which another thread changes.
// EXPECT: FalseSharing s '.'
#include <stdatomic.h>
#include "../../include/workers.h"
static LINE_ALIGNED struct {
    volatile long limit;
#ifdef MENDED
    LINE_ALIGNED
#endif
    _Atomic long published;
} s = {100000000, 0};

static void work(int index) {
    long seen = 0;
    for (int i = 0; i < 8000; ++i) {
        if (index == 0) {
            atomic_store_explicit(&s.published, i, memory_order_release);
        } else {
            seen += s.limit;
            if (i % 10 == 0) seen += atomic_load_explicit(&s.published, memory_order_acquire);
        }
        volatile int other = 0;
        for (int k = 0; k < 10; ++k) other += k;
    }
    (void)seen;
}

int main(void) {
    run_together(3, work);
    return s.published == 7999 ? 0 : 1;
}
