// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int* p = malloc(40);
    if (p[3] > 0) puts("positive");
    free(p);
    return 0;
}
