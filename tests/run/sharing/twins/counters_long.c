// SPDX-License-Identifier: GPL-2.0-or-later
// 4 threads count in neighbouring elements of an array.
// EXPECT: FalseSharing hits '.'
#include "../../include/workers.h"
enum { THREADS = 4 };
struct slot {
    volatile long value;
}
#ifdef MENDED
LINE_ALIGNED
#endif
;
static LINE_ALIGNED struct slot hits[THREADS];

static void work(int index) {
    for (int i = 0; i < 4000; ++i) {
        hits[index].value += 1;
        volatile int other = 0;
        for (int k = 0; k < 5; ++k) other += k;
    }
}

int main(void) {
    run_together(THREADS, work);
    return hits[0].value == 4000 ? 0 : 1;
}
