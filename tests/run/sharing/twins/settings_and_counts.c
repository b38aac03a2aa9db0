// SPDX-License-Identifier: GPL-2.0-or-later
// Settings that all threads read, and beside them what one thread counts.
// EXPECT: FalseSharing server 'Separate what is written .server.requests.'
#include "../../include/workers.h"
struct Server {
    volatile int port, limit, level;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long requests;
};
static struct Server server LINE_ALIGNED = {80, 100, 2, 0};
static LINE_ALIGNED volatile long sums[4][8];

static void work(int index) {
    for (int i = 0; i < 1500; ++i) {
        pass_time(20);
        if (index == 0)
            ++server.requests;
        else
            sums[index][0] += server.port + server.limit + server.level;
    }
}

int main(void) {
    run_together(4, work);
    return 0;
}
