// SPDX-License-Identifier: GPL-2.0-or-later
//
// No defect; prints its arguments.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    char* p = malloc(100);
    for (int i = 1; i < argc; i++) puts(argv[i]);
    free(p);
    return 0;
}
