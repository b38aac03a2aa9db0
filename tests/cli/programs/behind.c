// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes one byte that is as far behind a block of 24 bytes as its argument says. Another block may be there.
#include <stdlib.h>

int main(int argc, char** argv) {
    char* volatile p = malloc(24);
    char* volatile q = malloc(24);
    p[24 + atoi(argv[1])] = 1;
    free(p);
    free(q);
    return 0;
}
