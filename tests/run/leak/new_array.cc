// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an array of objects with destructors, held by the pointer behind its cookie, is reachable by the
// newarray heuristic.
// EXPECT: nothing
#include "case.h"

struct Item { ~Item() { value = 0; } long value = 1; };
static Item* keep;

int main() {
    keep = new Item[20];
    ESCAPE(&keep);
}
// ARGS: --leak-check-heuristics=newarray
