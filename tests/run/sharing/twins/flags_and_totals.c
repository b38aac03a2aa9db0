// SPDX-License-Identifier: GPL-2.0-or-later
// Two groups of threads, each with a shared atomic counter; each thread could have its own.
// EXPECT: - counts '.'
#include <stdatomic.h>
#include "../../include/workers.h"
static struct {
    LINE_ALIGNED _Atomic long reads;
    _Atomic long writes;
} counts[4];

static void work(int index) {
#ifdef MENDED
    const int copy = index;
#else
    const int copy = 0;
#endif
    for (int i = 0; i < 4000; ++i) {
        if (index % 2 == 0)
            atomic_fetch_add(&counts[copy].reads, 1);
        else
            atomic_fetch_add(&counts[copy].writes, 1);
        volatile int other = 0;
        for (int k = 0; k < 10; ++k) other += k;
    }
}

int main(void) {
    run_together(4, work);
    return counts[0].reads > 0 ? 0 : 1;
}
