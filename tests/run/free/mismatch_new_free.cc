// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: every pair of allocation and release that does not match is reported with the allocation; the block is
// freed all the same.
#include <cstdlib>
#include "case.h"

int main() {
    int* a = HIDE(new int);  /* label: A */
    std::free(a);  /* expect: MismatchedFree alloc=A */
    int* b = HIDE(new int[4]);  /* label: B */
    delete b;  /* expect: MismatchedFree alloc=B */
    int* c = HIDE(new int);  /* label: C */
    delete[] c;  /* expect: MismatchedFree alloc=C */
    int* d = HIDE(static_cast<int*>(std::malloc(4)));  /* label: D */
    delete d;  /* expect: MismatchedFree alloc=D */
    int* e = HIDE(static_cast<int*>(std::malloc(4)));  /* label: E */
    delete[] e;  /* expect: MismatchedFree alloc=E */
    int* f = HIDE(new int[3]);  /* label: G */
    std::free(f);  /* expect: MismatchedFree alloc=G */
}
