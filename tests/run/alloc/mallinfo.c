// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: mallinfo and mallinfo2 return the bytes of the program's blocks exactly
// EXPECT: nothing
#include <malloc.h>
#include <stdlib.h>
#include "case.h"

static int in_use(size_t bytes) {
    if ((size_t)mallinfo().uordblks != bytes) return 0;
#if __GLIBC__ > 2 || __GLIBC_MINOR__ >= 33
    if (mallinfo2().uordblks != bytes) return 0;
#endif
    return 1;
}

int main(void) {
    if (!in_use(0)) return 1;
    void* p = HIDE(malloc(100000));
    void* q = HIDE(malloc(1));
    if (!in_use(100001)) return 2;
    free(p);
    if (!in_use(1)) return 3;
    free(q);
    return in_use(0) ? 0 : 4;
}
