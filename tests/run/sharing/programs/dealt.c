// SPDX-License-Identifier: GPL-2.0-or-later
// The elements of an array go to the threads one by one; main sums them up.
// EXPECT: FalseSharing array 'Deal out array to the threads in multiples of 16 elements of 4 bytes, and align the first to 64: .*To change: array'
#include "../../include/workers.h"
enum { COUNT = 2048, ROUNDS = 30, WORKERS = 4 };
#ifdef MENDED
enum { EACH = LINE / sizeof(int) };
#else
enum { EACH = 1 };
#endif
static LINE_ALIGNED volatile int array[COUNT];

static void work(int index) {
    for (int round = 0; round < ROUNDS; ++round)
        for (int first = index * EACH; first < COUNT; first += WORKERS * EACH)
            for (int i = first; i < first + EACH; ++i) array[i] += round;
}

int main(void) {
    run_together(WORKERS, work);
    long sum = 0;
    for (int i = 0; i < COUNT; ++i) sum += array[i];
    return sum == (long)COUNT * ROUNDS * (ROUNDS - 1) / 2 ? 0 : 1;
}
