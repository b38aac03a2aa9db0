// SPDX-License-Identifier: GPL-2.0-or-later
// Members of a block of which only another block has the address, and of one whose class a variable points to.
// EXPECT: FalseSharing 'heap block server->stats of main' 'Put server->stats->(hits|misses) .thread [0-9]., server->stats->(hits|misses) .thread [0-9]. on lines of their own'
// EXPECT: FalseSharing 'heap block queue of main' 'Put queue->(in|out) .thread [0-9]., queue->(in|out) .thread [0-9]. on lines of their own'
#include <stdlib.h>

#include "../../include/workers.h"
#if MENDED == 1
#define OF_STATS LINE_ALIGNED
#else
#define OF_STATS
#endif
#if MENDED == 2
#define OF_QUEUE LINE_ALIGNED
#else
#define OF_QUEUE
#endif
struct stats {
    OF_STATS volatile long hits;
    OF_STATS volatile long misses;
    char path[LINE - 2 * sizeof(long)];
};
struct server {
    char name[24];
    struct stats* stats;
};
struct queue {
    OF_QUEUE volatile int in;
    OF_QUEUE volatile int out;
    char path[LINE - 2 * sizeof(int)];
};
void* shared[2];

static void work(int index) {
    struct server* const server = shared[0];
    struct queue* const queue = shared[1];
    for (int i = 0; i < 10000; ++i) {
        if (index == 0) {
            ++server->stats->hits;
            ++queue->in;
        } else {
            ++server->stats->misses;
            ++queue->out;
        }
    }
}

int main(void) {
    struct server* server = calloc(1, sizeof(struct server));
    struct queue* queue = aligned_alloc(LINE, sizeof(struct queue));
    server->stats = aligned_alloc(LINE, sizeof(struct stats));
    server->stats->hits = server->stats->misses = queue->in = queue->out = 0;
    shared[0] = server;
    shared[1] = queue;
    run_together(2, work);
    return server->stats->hits == 10000 ? 0 : 1;
}
