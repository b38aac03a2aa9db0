// SPDX-License-Identifier: GPL-2.0-or-later
// Members of a structure on main's stack, at equal distances, of which each thread has one.
// EXPECT: FalseSharing 'counters of main' 'Put counters.(read|parsed|written) of main .thread [0-9]., .* on lines of their own.*To change: counters of main'
#include "../../include/workers.h"
struct counters {
    volatile long read;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long parsed;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long written;
};
static struct counters* shared;

static void work(int index) {
    for (int i = 0; i < 20000; ++i) {
        if (index == 0)
            shared->read++;
        else if (index == 1)
            shared->parsed++;
        else
            shared->written++;
    }
}

int main(void) {
    LINE_ALIGNED struct counters counters = {0, 0, 0};
    shared = &counters;
    run_together(3, work);
    return counters.written == 20000 ? 0 : 1;
}
