// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has a structure of a vector, which code of Rust's library allocates: a block has the name of the line that
// called it, and of the variable that holds it. That the library is compiled into the program shows by the paths of its sources only.
// EXPECT: FalseSharing 'heap block all.elements of main' 'Pad each element of all.elements .24 bytes. to 64 .*To change: main .library_elements.c:[0-9]+'
#include <stdlib.h>

#include "../../include/workers.h"
struct account {
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long deposits;
    volatile long withdrawals;
    volatile int last;
};
static struct vector {
    struct account* elements;
    size_t used, capacity;
} all;

#line 400 "/rustc/0123456789abcdef/library/alloc/src/raw_vec/mod.rs"
static __attribute__((noinline)) void reserve(struct vector* vector, size_t more) {
    if (vector->capacity - vector->used >= more) return;
    vector->capacity = vector->used + more;
    struct account* grown = aligned_alloc(64, (vector->capacity * sizeof *grown + 63) / 64 * 64);
    if (grown == NULL) abort();
    for (size_t i = 0; i < vector->used; ++i) grown[i] = vector->elements[i];
    free(vector->elements);
    vector->elements = grown;
}
#line 33 "library_elements.c"

static void work(int index) {
    struct account* const own = &all.elements[index];
    for (int i = 0; i < 20000; ++i) {
        own->withdrawals++;
        own->deposits++;
        own->last = i;
    }
}

int main(void) {
    reserve(&all, 4);
    for (all.used = 0; all.used < 4; ++all.used) {
        struct account* const one = &all.elements[all.used];
        one->deposits = one->withdrawals = one->last = 0;
    }
    run_together(4, work);
    const int wrong = all.elements[0].last != 19999;
    free(all.elements);
    return wrong;
}
