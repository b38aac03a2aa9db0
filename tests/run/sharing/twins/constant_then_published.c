// SPDX-License-Identifier: GPL-2.0-or-later
// Readers look at a word that never changes and then at one that another thread changes: nothing is saved.
// EXPECT: - - '.'
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
    for (int i = 0; i < 5000; ++i) {
        if (index == 0) {
            atomic_store_explicit(&s.published, i, memory_order_release);
        } else {
            const long limit = s.limit;
            seen += atomic_load_explicit(&s.published, memory_order_acquire) < limit;
        }
        volatile int other = 0;
        for (int k = 0; k < 40; ++k) other += k;
    }
    (void)seen;
}

int main(void) {
    run_together(4, work);
    return s.published == 4999 ? 0 : 1;
}
