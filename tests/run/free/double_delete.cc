// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: delete of a deleted object and delete[] of a deleted array are reported.
#include "case.h"

int main() {
    int* one = HIDE(new int(3));  /* label: A */
    delete one;  /* label: F */
    delete HIDE(one);  /* expect: InvalidFree alloc=A free=F */
    char* many = HIDE(new char[30]);  /* label: B */
    delete[] many;  /* label: G */
    delete[] HIDE(many);  /* expect: InvalidFree alloc=B free=G */
}
