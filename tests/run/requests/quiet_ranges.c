// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: invalid accesses that begin in a range are not reported while the program disabled that, and are again when it
// PROVES: enabled the range or the part that they are in; an access before the range is reported
// ARGS: --leak-check=no
// COMPILE: gcc clang -O0 -O2
// SET: OWN=1
#include <stdlib.h>
#include <valgrind/memcheck.h>
#include "case.h"
#ifdef OWN
#include "memspy.h"
#define DISABLE MEMSPY_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE
#define ENABLE MEMSPY_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE
#else
#define DISABLE VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE
#define ENABLE VALGRIND_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE
#endif

int main(void) {
    volatile int* p = HIDE((volatile int*)malloc(40 * sizeof *p));
    free((void*)p);
    p[1] = 1;  /* expect: InvalidWrite */
    if (DISABLE(p, 0) != 0) return 1;
    if (DISABLE(p + 10, 20 * sizeof *p) != 1) return 2;
    p[10] = p[29] = 1;
    NEED(p[20]);
    NEED(p[9]);   /* expect: InvalidRead */
    NEED(p[30]);  /* expect: InvalidRead */
    if (DISABLE(p + 5, 10 * sizeof *p) != 1) return 3;
    NEED(p[5]);
    if (ENABLE(p + 12, 4 * sizeof *p) != 1) return 4;
    p[11] = p[16] = 1;
    p[12] = 1;   /* expect: InvalidWrite */
    NEED(p[15]);  /* expect: InvalidRead */
    if (ENABLE(p, 40 * sizeof *p) != 1) return 5;
    NEED(p[16]);  /* expect: InvalidRead */
    return 0;
}
