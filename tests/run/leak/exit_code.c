// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a definite loss counts for --error-exitcode.
// ARGS: --error-exitcode=42
// EXPECT-EXIT: 42
#include <stdlib.h>
#include "case.h"

NOINLINE static void lose(void) {
    void* p = malloc(10);  /* leak: definite bytes=10 blocks=1 */
    ESCAPE(p);
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
