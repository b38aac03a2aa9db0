// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: requests for a pool that does not exist are reported as such.
#include <stdlib.h>
#include <valgrind/memcheck.h>
#include "case.h"

int main(void) {
    char* pool = HIDE((char*)malloc(100));
    VALGRIND_DESTROY_MEMPOOL(pool);  /* expect: InvalidMemPool */
    free(pool);
    return 0;
}
