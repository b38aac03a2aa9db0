// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a lost cycle of blocks is reported: one block definite, the others indirect.
// ARGS: --show-leak-kinds=all
#include <stdlib.h>
#include "case.h"

struct Node { struct Node* next; long pad[2]; };

NOINLINE static void lose(void) {
    struct Node* first = (struct Node*)malloc(sizeof *first);  /* leak: definite bytes=72 blocks=1 */
    struct Node* last = first;
    for (int i = 0; i < HIDE(2); i++) {
        struct Node* node = (struct Node*)malloc(sizeof *node);  /* leak: indirect bytes=48 blocks=2 */
        last->next = node;
        last = node;
    }
    last->next = first;
    ESCAPE(first);
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    lose();
    wash();
    return 0;
}
