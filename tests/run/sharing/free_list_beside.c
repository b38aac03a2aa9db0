// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: where each thread has a counter of its own in the line of a node that goes from thread to thread, the counters
// PROVES: meet each other and the node: false sharing
// COMPILE: gcc clang -O1 -pthread
// SET: THREADS=4 COUNT=3000
// SET: THREADS=3 COUNT=5000
// ALSO: --contention-exact=yes
// ALSO: --defects=no
// COUNTS: modelled nodes false>=10*THREADS*COUNT
// SHARING: FalseSharing names="nodes"
// SHARING: TrueSharing names="list" maybe=yes
// SHARING: TrueSharing names="lock" maybe=yes
// SHARING: Contention names="lock" maybe=yes
// SHARING: FalseSharing names="lock" maybe=yes
#include "workers.h"

// Half as many, and it is chance whether threads count at once: without events they do so one after the other, because the
// lock takes longer; with events they take so long that they meet.
enum { VALUES = 3, OWN_TIMES = 60 };
struct node {
    struct node* next;
    long value[VALUES];
    long beside[4];
};
static LINE_ALIGNED struct node nodes[THREADS];
static LINE_ALIGNED struct {
    struct node* first;
    char end[LINE - sizeof(void*)];
} list;
// What a thread has for itself, and uses between.
#define OWN(index) nodes[0].beside[index]

#include "free_list.h"
