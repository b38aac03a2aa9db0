// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the CHECK requests return the first bad address, and report it.
// TOOL: memspy
#include <stdlib.h>
#include "case.h"
#include "memspy.h"

int main(void) {
    char* p = HIDE((char*)malloc(40));  /* label: A */
    for (int i = 0; i < 30; i++) ((volatile char*)p)[i] = 1;
    if (MEMSPY_CHECK_MEM_IS_ADDRESSABLE(p, 40) != 0) return 1;
    if (MEMSPY_CHECK_MEM_IS_DEFINED(p, 30) != 0) return 2;
    unsigned long at = (unsigned long)MEMSPY_CHECK_MEM_IS_DEFINED(p, 40);  /* expect: ClientCheck */
    if (at != (unsigned long)(p + 30)) return 3;
    at = (unsigned long)MEMSPY_CHECK_MEM_IS_ADDRESSABLE(p, 41);  /* expect: ClientCheck alloc=A */
    if (at != (unsigned long)(p + 40)) return 4;
    free(p);
    return 0;
}
