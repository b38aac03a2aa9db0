// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: in a linked list the node that was freed too early is named, after a thousand correct ones.
#include <stdlib.h>
#include "case.h"

struct Node { struct Node* next; int value; };

int main(void) {
    struct Node* head = 0;
    struct Node* victim = 0;
    for (int i = 0; i < 1000; i++) {
        struct Node* node = (struct Node*)malloc(sizeof *node);  /* label: A */
        node->next = head;
        node->value = i;
        head = node;
        if (i == 1) victim = node;
    }
    free(HIDE(victim));  /* label: F */
    int sum = 0;
    for (struct Node* node = head; node;) {
        sum += node->value;         /* expect: InvalidRead alloc=A free=F text="size 4" */
        struct Node* next = node->next;  /* expect: InvalidRead alloc=A free=F text="size 8" */
        if (node != victim) free(node);
        node = next;
    }
    NEED(sum);
    return 0;
}
