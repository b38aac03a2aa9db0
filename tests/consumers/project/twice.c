// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
int main(void) {
    char* volatile p = malloc(40);
    free(p);
    free(p);
    return 0;
}
