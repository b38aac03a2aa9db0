// SPDX-License-Identifier: GPL-2.0-or-later
// Elements of 32 bytes: two threads meet in each line.
// EXPECT: FalseSharing nodes '.'
#include "../../include/workers.h"
enum { THREADS = 8 };
struct node {
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile double x, y, z;
    volatile int count;
};
static LINE_ALIGNED struct node nodes[THREADS];

static void work(int index) {
    struct node* const mine = &nodes[index];
    for (int i = 0; i < 1500; ++i) {
        mine->x += 1;
        mine->y += mine->x;
        mine->z -= 1;
        mine->count++;
    }
}

int main(void) {
    run_together(THREADS, work);
    return nodes[2].count == 1500 ? 0 : 1;
}
