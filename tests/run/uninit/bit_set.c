// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a bit set in a fresh word with |= is defined, its neighbour is not; clearing with &= defines too.
#include <stdlib.h>
#include "case.h"

int main(void) {
    unsigned long* set = HIDE((unsigned long*)malloc(sizeof *set));  /* label: A */
    *set |= 1ul << 40;
    ESCAPE(set);
    *set &= ~(1ul << 3);
    ESCAPE(set);
    BRANCH_ON(*set & (1ul << 40));
    BRANCH_ON(*set & (1ul << 3));
    BRANCH_ON(*set & (1ul << 41));  /* expect: UninitCondition origin=A */
    free(set);
    return 0;
}
