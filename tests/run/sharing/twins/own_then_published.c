// SPDX-License-Identifier: GPL-2.0-or-later
// Each round a thread changes a word of its own and then one that others read: moving the first saves nothing.
// EXPECT: - - '.'
#include <stdatomic.h>
#include "../../include/workers.h"
static LINE_ALIGNED struct {
    volatile long mine;
#ifdef MENDED
    LINE_ALIGNED
#endif
    _Atomic long published;
} s;

static void work(int index) {
    long seen = 0;
    for (int i = 0; i < 6000; ++i) {
        if (index == 0) {
            s.mine++;
            atomic_store_explicit(&s.published, i, memory_order_release);
        } else {
            seen += atomic_load_explicit(&s.published, memory_order_acquire);
        }
        volatile int other = 0;
        for (int k = 0; k < 40; ++k) other += k;
    }
    (void)seen;
}

int main(void) {
    run_together(2, work);
    return s.mine == 6000 ? 0 : 1;
}
