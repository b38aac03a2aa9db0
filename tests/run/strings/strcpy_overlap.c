// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: string functions that copy within one string are reported at the call, each under its own name.
// COMPILE: gcc -O0 -O2 -fno-builtin
// TOOL: memspy
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(64));
    strcpy(p, "abcdef");
    strcpy(p, p + 2);  /* expect: Overlap text="strcpy" */
    strncpy(p + 1, p, 3);  /* expect: Overlap text="strncpy" */
    strcat(p, p + 1);  /* expect: Overlap text="strcat" */
    strncat(p, p, 2);  /* expect: Overlap text="strncat" */
    free(p);
    return 0;
}
