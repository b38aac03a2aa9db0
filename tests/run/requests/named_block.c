// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a report on memory that the program gave a name has the name, the offset and where it was given, though the
// PROVES: memory is part of a heap block; a discarded name is not said any more, and its handle is free again
// ARGS: --leak-check=no
// SET: OWN=1
#include <stdlib.h>
#include <valgrind/memcheck.h>
#include "case.h"
#ifdef OWN
#include "memspy.h"
#define CREATE MEMSPY_CREATE_BLOCK
#define END MEMSPY_DISCARD
#else
#define CREATE VALGRIND_CREATE_BLOCK
#define END VALGRIND_DISCARD
#endif

static char wall[64];

NOINLINE static long give_name(void* p, size_t bytes, const char* name) {
    const long handle = (long)CREATE(p, bytes, name);  /* label: N */
    return handle;
}

int main(void) {
    char* p = HIDE((char*)malloc(100));  /* label: A */
    const long header = give_name(p + 8, 16, "head <er>");
    const long brick = give_name(wall, sizeof wall, "wall");
    if (header < 0 || brick < 0 || header == brick || give_name(p, 0, "nothing") != -1) return 1;
    VALGRIND_MAKE_MEM_NOACCESS(p + 8, 16);
    VALGRIND_MAKE_MEM_NOACCESS(wall, sizeof wall);
    volatile char* v = p;
    volatile char* w = HIDE(wall);
    NEED(v[11]);  /* expect: InvalidRead alloc=N text="3 bytes inside a head .er. of size 16 client-defined" */
    w[63] = 1;    /* expect: InvalidWrite alloc=N text="63 bytes inside a wall of size 64 client-defined" */
    if (END(header) != 0 || END(header) != 1 || END(1000) != 1) return 2;
    NEED(v[12]);  /* expect: InvalidRead alloc=A text="12 bytes inside a block of size 100 alloc'd" */
    if (give_name(p, 1, "again") != header) return 3;
    free(p);
    return 0;
}
