// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a check of a null pointer says that it is not accessible, also by its answer, which is 0 when all is right
// ARGS: --leak-check=no
// TOOL: memspy
#include "case.h"
#include "memspy.h"

int main(void) {
    char* null = HIDE((char*)0);
    if (MEMSPY_CHECK_MEM_IS_ADDRESSABLE(null, 1) != 1) return 1;       /* expect: ClientCheck */
    if (MEMSPY_CHECK_MEM_IS_DEFINED(null, 8) != 1) return 2;           /* expect: ClientCheck */
    if (MEMSPY_CHECK_MEM_IS_ADDRESSABLE(null + 3, 1) != 3) return 3;   /* expect: ClientCheck */
    return MEMSPY_CHECK_MEM_IS_ADDRESSABLE(null, 0) != 0;
}
