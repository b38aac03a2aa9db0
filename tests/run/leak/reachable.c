// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block that a global points to, and one that the first points to, are still reachable, and shown on
// demand.
// ARGS: --show-leak-kinds=all
#include <stdlib.h>
#include "case.h"

static void** keep;

int main(void) {
    keep = (void**)malloc(80);  /* leak: reachable bytes=80 blocks=1 */
    for (int i = 0; i < 10; i++) keep[i] = 0;
    keep[4] = malloc(33);  /* leak: reachable bytes=33 blocks=1 */
    ESCAPE(&keep);
    return 0;
}
