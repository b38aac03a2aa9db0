// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block whose first word has its length, held by the pointer behind that word, is reachable by the length64
// heuristic.
// EXPECT: nothing
// ARGS: --leak-check-heuristics=length64
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

static char* keep;

int main(void) {
    uint64_t* block = (uint64_t*)malloc(8 + 100);
    block[0] = 100;
    keep = (char*)(block + 1);
    ESCAPE(&keep);
    return 0;
}
