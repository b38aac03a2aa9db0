// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rest of a case of a free list: COUNT times a thread of THREADS takes a node from the list, which a lock guards, writes
// and reads its VALUES values, puts it back, and counts OWN_TIMES in OWN(index). The case defines these five, the nodes and
// the list.
#pragma once

#include "workers.h"

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
        for (int k = 0; k < VALUES; ++k) node->value[k] = i * k + index;
        for (int r = 0; r < 4; ++r)
            for (int k = 0; k < VALUES; ++k) sums[index][0] += node->value[k];
        give(node);
        for (int k = 0; k < OWN_TIMES; ++k) INCREMENT(OWN(index));
    }
}

int main(void) {
    for (int i = 0; i < THREADS; ++i) give(&nodes[i]);
    run_threads(THREADS, work);
    return 0;
}
