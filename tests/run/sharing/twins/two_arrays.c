// SPDX-License-Identifier: GPL-2.0-or-later
// Two arrays, in both of which each thread has an element.
// EXPECT: FalseSharing . '.'
#include "../../include/workers.h"
enum { THREADS = 4 };
#ifdef MENDED
static LINE_ALIGNED struct {
    LINE_ALIGNED volatile long sent;
    volatile long received;
} of[THREADS];
#define SENT(i) of[i].sent
#define RECEIVED(i) of[i].received
#else
static LINE_ALIGNED struct {
    volatile long sent[THREADS], received[THREADS];
} of;
#define SENT(i) of.sent[i]
#define RECEIVED(i) of.received[i]
#endif

static void work(int index) {
    for (int i = 0; i < 4000; ++i) {
        SENT(index) += i;
        RECEIVED(index) += 1;
    }
}

int main(void) {
    run_together(THREADS, work);
    return SENT(1) > 0 ? 0 : 1;
}
