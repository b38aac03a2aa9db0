// SPDX-License-Identifier: GPL-2.0-or-later
// All threads write when they were last seen into one variable, and read their own right after.
// EXPECT: TrueSharing last_seen 'private'
#include "../../include/workers.h"
#ifdef MENDED
static thread_local volatile double last_seen;
#else
alignas(LINE) static volatile double last_seen;
#endif
alignas(LINE) static volatile double longest[4][8];

static void work(int index) {
    for (int i = 0; i < 1200; ++i) {
        last_seen = i * 0.5;
        pass_time(25);
        if (last_seen > longest[index][0]) longest[index][0] = last_seen;
    }
}

int main() {
    run_together(4, work);
    return 0;
}
