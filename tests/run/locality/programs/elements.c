// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks that elements of arrays hold, of which a local pointer has one in turn; and a list, whose nodes other nodes hold.
#include <stdlib.h>

struct node {
    double values[16];
    struct node *next;
};
static int **counts;

static void work(int i) {
    int *own = counts[i];
    for (int k = 0; k < 100; ++k) own[k] = k;
}

int main(void) {
    struct node *head = 0;
    counts = malloc(16 * sizeof *counts);
    for (int i = 0; i < 4; ++i) {
        counts[i] = malloc(100 * sizeof **counts);
        work(i);
    }
    for (int i = 0; i < 4; ++i) {
        struct node *made = malloc(sizeof *made);
        made->values[i] = i;
        made->next = head;
        head = made;
    }
}
