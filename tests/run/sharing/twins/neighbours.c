// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of one file, each of another thread.
// EXPECT: FalseSharing . '.'
#include "../../include/workers.h"
#ifdef MENDED
#define OWN LINE_ALIGNED
#else
#define OWN
#endif
static LINE_ALIGNED struct {
    OWN volatile long read_bytes;
    OWN volatile long written_bytes;
    OWN volatile int errors;
} io;

static void work(int index) {
    for (int i = 0; i < 4000; ++i) {
        if (index == 0) io.read_bytes += i;
        if (index == 1) io.written_bytes += i;
        if (index == 2) io.errors ^= i;
    }
}

int main(void) {
    run_together(3, work);
    return io.read_bytes > 0 ? 0 : 1;
}
