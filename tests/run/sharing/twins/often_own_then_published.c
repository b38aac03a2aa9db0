// SPDX-License-Identifier: GPL-2.0-or-later
// A thread works on words of its own, and after eight rounds changes the one that three others read.
// EXPECT: FalseSharing s '.'
#include <stdatomic.h>
#include "../../include/workers.h"
static LINE_ALIGNED struct {
    _Atomic long published;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long mine, more;
} s;

static void work(int index) {
    long seen = 0;
    for (int i = 0; i < 8000; ++i) {
        if (index == 0) {
            s.mine++;
            s.more += s.mine;
            if (i % 8 == 0) atomic_store_explicit(&s.published, i, memory_order_release);
        } else {
            seen += atomic_load_explicit(&s.published, memory_order_acquire);
        }
        volatile int other = 0;
        for (int k = 0; k < 10; ++k) other += k;
    }
    (void)seen;
}

int main(void) {
    run_together(4, work);
    return s.mine == 8000 ? 0 : 1;
}
