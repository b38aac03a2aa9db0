// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: reports have lines although the program's file is no longer where it was when it was mapped.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    char path[4096], moved[4200];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return 1;
    path[length] = '\0';
    snprintf(moved, sizeof moved, "%s.moved", path);
    if (rename(path, moved) != 0) return 1;
    int* p = HIDE((int*)malloc(48));  /* label: A */
    p[12] = 1;                        /* expect: InvalidWrite alloc=A free=none text="0 bytes|after" */
    ESCAPE(p);
    free(p);
    return rename(moved, path) != 0;
}
