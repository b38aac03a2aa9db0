// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: --show-mismatched-frees=no silences mismatches only.
// ARGS: --show-mismatched-frees=no
#include <cstdlib>
#include "case.h"

int main() {
    int* a = HIDE(new int);  /* label: A */
    std::free(a);  /* label: F */
    std::free(HIDE(a));  /* expect: InvalidFree alloc=A free=F */
}
