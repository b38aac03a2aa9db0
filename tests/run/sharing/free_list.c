// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: nodes of a free list of the program's own are not shared in the model, though its threads get the list's lock in
// PROVES: another order there: a new owner costs a touch of each line. The list's head goes from thread to thread
// COMPILE: gcc clang -O1 -pthread
// SET: THREADS=4 COUNT=3000
// SET: THREADS=3 COUNT=5000
// ALSO: --contention-exact=yes
// ALSO: --defects=no
// COUNTS: modelled nodes events<=0.4*THREADS*COUNT
// COUNTS: modelled list true>=THREADS*COUNT false<=0.02*THREADS*COUNT
// SHARING: anything
#include "workers.h"

struct node {
    struct node* next;
    long value[15];
};
static LINE_ALIGNED struct node nodes[THREADS];
static LINE_ALIGNED struct {
    struct node* first;
    char end[LINE - sizeof(void*)];
} list;
static LINE_ALIGNED pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LINE_ALIGNED long sums[THREADS][8];

static struct node* take(void) {
    pthread_mutex_lock(&lock);
    struct node* node = list.first;
    list.first = node->next;
    pthread_mutex_unlock(&lock);
    return node;
}
static void give(struct node* node) {
    pthread_mutex_lock(&lock);
    node->next = list.first;
    list.first = node;
    pthread_mutex_unlock(&lock);
}

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        struct node* node = take();
        for (int k = 0; k < 15; ++k) node->value[k] = i * k + index;
        for (int r = 0; r < 4; ++r)
            for (int k = 0; k < 15; ++k) sums[index][0] += node->value[k];
        give(node);
        for (int k = 0; k < 30; ++k) INCREMENT(sums[index][1]);
    }
}

int main(void) {
    for (int i = 0; i < THREADS; ++i) give(&nodes[i]);
    run_threads(THREADS, work);
    return 0;
}
