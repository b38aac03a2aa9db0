// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: bytes made uninitialised by request, in a heap block or static memory, come from there, wherever they are copied to;
// PROVES: the last request on a byte counts, and none after the block was freed or described anew
// ARGS: --leak-check=no --freelist-vol=1000
// COMPILE: gcc clang -O0 -O2
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>
#include "case.h"

static char pool[4096];

NOINLINE static void give(char* p, size_t bytes) {
    VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);  /* label: G */
    BARRIER();
}
NOINLINE static void give_again(char* p, size_t bytes) {
    VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);  /* label: H */
    BARRIER();
}

int main(void) {
    volatile char* s = HIDE((volatile char*)pool);
    give(pool + 100, 300);
    give_again(pool + 200, 100);
    BRANCH_ON(s[99]);
    BRANCH_ON(s[100] == 1);  /* expect: UninitCondition origin=G text="created by a client request" */
    BRANCH_ON(s[199] == 1);  /* expect: UninitCondition origin=G */
    BRANCH_ON(s[200] == 1);  /* expect: UninitCondition origin=H */
    BRANCH_ON(s[299] == 1);  /* expect: UninitCondition origin=H */
    BRANCH_ON(s[300] == 1);  /* expect: UninitCondition origin=G */
    BRANCH_ON(s[399] == 1);  /* expect: UninitCondition origin=G */
    BRANCH_ON(s[400]);

    char* p = HIDE((char*)malloc(1000));  /* label: P */
    char* copy = HIDE((char*)malloc(1000));
    memset(p, 0, 1000);
    give(p + 10, 500);
    memcpy(copy, p, 1000);
    BRANCH_ON(((volatile char*)copy)[11] == 1);  /* expect: UninitCondition origin=G */
    p[20] = 1;
    BRANCH_ON(((volatile char*)p)[20] == 1);
    free(copy);
    VALGRIND_MALLOCLIKE_BLOCK(p + 32, 64, 0, 0);  /* label: M */
    BARRIER();
    BRANCH_ON(((volatile char*)p)[40] == 1);     /* expect: UninitCondition origin=M */
    BRANCH_ON(((volatile char*)p)[96] == 1);     /* expect: UninitCondition origin=G */
    VALGRIND_FREELIKE_BLOCK(p + 32, 0);
    free(p);

    /* The same memory again, once it left the queue of freed blocks. */
    for (int i = 0; i < 1000; i++) {
        volatile char* q = HIDE((volatile char*)malloc(1000));  /* label: Q */
        if (i == 999) BRANCH_ON(q[30] == 1);     /* expect: UninitCondition origin=Q */
        free((void*)q);
    }
    return 0;
}
