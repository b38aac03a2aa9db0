// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: lost blocks from one place are one record with their number and bytes; another place is another.
#include <stdlib.h>
#include "case.h"

NOINLINE static void lose(size_t bytes) {
    char* p = (char*)malloc(bytes);  /* leak: definite bytes=300 blocks=3 */
    ESCAPE(p);
}
NOINLINE static void lose_other(void) {
    long* p = (long*)calloc(5, 8);  /* leak: definite bytes=40 blocks=1 */
    ESCAPE(p);
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    for (int i = 0; i < HIDE(3); i++) lose(100);
    lose_other();
    wash();
    return 0;
}
