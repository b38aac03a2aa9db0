// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined member of a large struct copied by inline code keeps its origin.
// COMPILE: gcc clang -O0 -O2
#include <stdlib.h>
#include "case.h"

struct Big { long head; int values[25]; long tail; };

int main(void) {
    struct Big* from = HIDE((struct Big*)malloc(sizeof *from));  /* label: A */
    struct Big* to = HIDE((struct Big*)malloc(sizeof *to));
    from->head = from->tail = 1;
    for (int i = 0; i < 25; i++)
        if (i != 17) from->values[i] = i;
    ESCAPE(from);
    *to = *from;
    ESCAPE(to);
    free(from);
    for (int i = 0; i < 17; i++) BRANCH_ON(to->values[i] == 3);
    BRANCH_ON(to->tail == 1);
    BRANCH_ON(to->values[17] == 3);  /* expect: UninitCondition origin=A */
    free(to);
    return 0;
}
