// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
int main(void) {
    volatile int* p = malloc(40);
    p[10] = 1;
    int x = p[11];
    (void)x;
    free((void*)p);
    return 0;
}
