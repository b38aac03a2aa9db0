// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: memcpy and mempcpy of overlapping operands are reported at the call, in either direction, and
// copy as memmove does.
// COMPILE: gcc clang -O0 -O2 -D_GNU_SOURCE -fno-builtin
// TOOL: memspy
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(27));
    strcpy(p, "abcdefghijklmnopqrstuvwxyz");
    memcpy(p, p + 10, 16);  /* expect: Overlap text="memcpy" */
    if (strcmp(p, "klmnopqrstuvwxyzqrstuvwxyz") != 0) return 1;
    memcpy(p + 1, p, 25);  /* expect: Overlap text="memcpy" */
    if (strcmp(p, "kklmnopqrstuvwxyzqrstuvwxy") != 0) return 2;
    mempcpy(p + 4, p, 5);  /* expect: Overlap text="mempcpy" */
    if (strcmp(p, "kklmkklmnpqrstuvwxyzqrstuv") == 0) return 3;
    free(p);
    return 0;
}
