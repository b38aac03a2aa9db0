// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: free, realloc and delete of a null pointer are silent.
// EXPECT: nothing
#include <cstdlib>
#include "case.h"

int main() {
    void* none = HIDE(static_cast<char*>(nullptr));
    std::free(none);
    delete HIDE(static_cast<int*>(nullptr));
    delete[] HIDE(static_cast<int*>(nullptr));
    void* p = std::realloc(none, 10);
    std::free(p);
}
