// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
static void lose(void) { volatile char* p = malloc(50); p[0] = 1; }
static void wash(void) { volatile char area[4096]; for (int i = 0; i < 4096; i++) area[i] = 0; }
int main(void) {
    lose();
    wash();
    return 0;
}
