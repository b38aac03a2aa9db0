// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: blocks of a memory pool have red zones, are freed one by one or with the pool, and the pool's own
// headers in hidden memory can be opened for the allocator's own accesses.
#include <stdlib.h>
#include <valgrind/memcheck.h>
#include "case.h"

struct Pool { char memory[8192]; size_t used; };

NOINLINE static void* pool_alloc(struct Pool* pool, size_t size) {
    char* p = pool->memory + pool->used + 16;
    pool->used += ((size + 15) & ~15ul) + 32;
    VALGRIND_MEMPOOL_ALLOC(pool, p, size);  /* label: A */
    return p;
}
NOINLINE static void pool_free(struct Pool* pool, void* p) {
    VALGRIND_MEMPOOL_FREE(pool, p);  /* label: F */
}

int main(void) {
    struct Pool* pool = HIDE((struct Pool*)malloc(sizeof *pool));
    pool->used = 0;
    VALGRIND_CREATE_MEMPOOL(pool, 16, 0);
    VALGRIND_MAKE_MEM_NOACCESS(pool->memory, sizeof pool->memory);
    volatile char* a = HIDE((char*)pool_alloc(pool, 20));
    volatile char* b = HIDE((char*)pool_alloc(pool, 30));
    a[19] = b[29] = b[0] = 1;
    a[20] = 1;  /* expect: InvalidWrite alloc=A */
    b[-1] = 1;  /* expect: InvalidWrite alloc=A */
    BRANCH_ON(b[5] == 3);  /* expect: UninitCondition origin=A */
    pool_free(pool, (void*)a);
    NEED(a[3]);  /* expect: InvalidRead free=F only=memspy */ /* expect: InvalidRead only=memcheck */
    VALGRIND_DESTROY_MEMPOOL(pool);
    NEED(b[0]);  /* expect: InvalidRead */
    free(pool);
    return 0;
}
