// SPDX-License-Identifier: GPL-2.0-or-later
// Nodes that a pool hands out lie side by side; each list is one thread's.
// EXPECT: FalseSharing pool 'Pad each element of pool .24 bytes. to 64'
#include "../../include/workers.h"
enum { THREADS = 4, NODES = 8 };
struct Node {
    struct Node* next;
    volatile long key, count;
#ifdef MENDED
    char apart[40];
#endif
};
static struct Node pool[THREADS * NODES] LINE_ALIGNED;

static void work(int index) {
    for (int i = 0; i < 150; ++i)
        for (struct Node* node = &pool[index]; node; node = node->next) node->count += node->key + i;
}

int main(void) {
    for (int i = 0; i + THREADS < THREADS * NODES; ++i) pool[i].next = &pool[i + THREADS];
    run_together(THREADS, work);
    return 0;
}
