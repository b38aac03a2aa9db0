// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: new of far too much memory: the nothrow form returns a null pointer.
// EXPECT: nothing
#include <new>
#include "case.h"

int main() {
    char* p = new (std::nothrow) char[HIDE(1ul << 46)];
    return p != nullptr;
}
