// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: --show-leak-kinds=reachable shows these and hides a definite loss.
// ARGS: --show-leak-kinds=reachable --errors-for-leak-kinds=none
#include <stdlib.h>
#include "case.h"

static void* keep;

NOINLINE static void lose(void) {
    void* p = malloc(10);
    ESCAPE(p);
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    keep = malloc(20);  /* leak: reachable bytes=20 blocks=1 */
    ESCAPE(&keep);
    lose();
    wash();
    return 0;
}
