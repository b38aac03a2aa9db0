// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: realloc of memory from new is a mismatch.
#include <cstdlib>
#include "case.h"

int main() {
    char* p = HIDE(new char[10]);  /* label: A */
    p = static_cast<char*>(std::realloc(p, 20));  /* expect: MismatchedFree alloc=A */
    std::free(p);
}
