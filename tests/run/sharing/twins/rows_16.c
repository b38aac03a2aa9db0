// SPDX-License-Identifier: GPL-2.0-or-later
// Sixteen threads have a row of ten each.
// EXPECT: FalseSharing m 'a pitch of 128 bytes instead of 80'
#include "../../include/workers.h"
enum { THREADS = 16, USED = 10 };
#ifdef MENDED
enum { PITCH = 16 };
#else
enum { PITCH = USED };
#endif
static LINE_ALIGNED volatile double m[THREADS][PITCH];

static void work(int index) {
    for (int i = 0; i < 100; ++i)
        for (int k = 0; k < USED; ++k) m[index][k] += i * k;
}

int main(void) {
    run_together(THREADS, work);
    return 0;
}
