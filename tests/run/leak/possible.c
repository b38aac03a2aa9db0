// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block to which only an interior pointer leads is possibly lost.
#include <stdlib.h>
#include "case.h"

static char* volatile keep;

NOINLINE static void lose(void) {
    char* p = (char*)malloc(1000);  /* leak: possible bytes=1000 blocks=1 */
    keep = p + 100;
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
