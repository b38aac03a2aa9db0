// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: nodes of a free list of the program's own are not shared in the model, though its threads get the list's lock in
// PROVES: another order there: a new owner costs a touch of each line. The list's head goes from thread to thread
// COMPILE: gcc clang -O1 -pthread
// SET: THREADS=4 COUNT=3000
// SET: THREADS=3 COUNT=5000
// ALSO: --contention-exact=yes
// ALSO: --defects=no
// ALSO: --interleave=20
// How often a node gets a new owner depends on the interleaving (with --interleave=20 up to 14,700 events, observed
// 19,700): a miss and an invalidation for each take at most. Nodes that are shared had 35,000 false events and more.
// COUNTS: modelled nodes events<=2*THREADS*COUNT false<=0.01*THREADS*COUNT
// COUNTS: modelled list true>=THREADS*COUNT false<=0.02*THREADS*COUNT
// SHARING: anything
#include "workers.h"

enum { VALUES = 15, OWN_TIMES = 30 };
struct node {
    struct node* next;
    long value[VALUES];
};
static LINE_ALIGNED struct node nodes[THREADS];
static LINE_ALIGNED struct {
    struct node* first;
    char end[LINE - sizeof(void*)];
} list;
// What a thread has for itself, and uses between.
#define OWN(index) sums[index][1]

#include "free_list.h"
