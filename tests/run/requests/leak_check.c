// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a leak check on request reports the blocks lost by then, once, and counts leaks.
// TOOL: memspy
// ARGS: --leak-check=full
#include <stdlib.h>
#include "case.h"
#include "memspy.h"

NOINLINE static void lose(void) {
    void* p = malloc(24);  /* leak: definite bytes=24 blocks=1 */ /* leak: definite bytes=24 blocks=1 */
    ESCAPE(p);
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    lose();
    wash();
    MEMSPY_DO_LEAK_CHECK;
    unsigned long lost, possible, reachable, suppressed;
    MEMSPY_COUNT_LEAKS(lost, possible, reachable, suppressed);
    return lost != 24;
}
