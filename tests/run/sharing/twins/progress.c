// SPDX-License-Identifier: GPL-2.0-or-later
// Workers count what they have done, one counter each; a thread that watches looks at all of them now and then.
// EXPECT: FalseSharing done 'Pad each element of done .8 bytes. to 64'
#include "../../include/workers.h"
#ifdef MENDED
enum { STEP = 8 };
#else
enum { STEP = 1 };
#endif
static LINE_ALIGNED volatile long done[4 * STEP];
static LINE_ALIGNED volatile long seen;

static void work(int index) {
    if (index < 4)
        for (int i = 0; i < 1500; ++i) {
            pass_time(30);
            ++done[index * STEP];
        }
    else
        for (int i = 0; i < 50; ++i) {
            pass_time(1500);
            for (int k = 0; k < 4; ++k) seen += done[k * STEP];
        }
}

int main(void) {
    run_together(5, work);
    return 0;
}
