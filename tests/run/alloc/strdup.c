// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: strdup, strndup, wcsdup and asprintf give blocks with exact ends and defined content.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "case.h"

int main(void) {
    volatile char* a = HIDE(strdup(HIDE("twelve chars")));   /* label: A */
    volatile char* b = HIDE(strndup(HIDE("twelve chars"), 6)); /* label: B */
    volatile wchar_t* w = HIDE(wcsdup(HIDE(L"wide")));       /* label: W */
    BRANCH_ON(a[11] == 's');
    BRANCH_ON(b[6] == 0);
    BRANCH_ON(w[4] == 0);
    NEED(a[13]);  /* expect: InvalidRead alloc=A */
    NEED(b[7]);   /* expect: InvalidRead alloc=B */
    NEED(w[5]);   /* expect: InvalidRead alloc=W */
    char* text;
    if (asprintf(&text, "%d and %s", HIDE(42), "more") < 0) return 1;
    BRANCH_ON(text[0] == '4');
    if (strcmp(text, "42 and more")) return 2;
    free(text);
    free((void*)a);
    free((void*)b);
    free((void*)w);
    return 0;
}
