// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: without heuristics an array held by the pointer behind its cookie is possibly lost.
// ARGS: --leak-check-heuristics=none
#include "case.h"

struct Item { ~Item() { value = 0; } long value = 1; };
static Item* keep;

int main() {
    keep = new Item[20];  /* leak: possible bytes=168 blocks=1 */
    ESCAPE(&keep);
}
