// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: all forms of operator new and delete (plain, array, nothrow, sized, aligned) match each other.
// EXPECT: nothing
#include <cstdint>
#include <new>
#include "case.h"

struct alignas(64) Wide { char bytes[64]; };

int main() {
    delete HIDE(new int(1));
    delete[] HIDE(new int[7]);
    delete HIDE(new (std::nothrow) int);
    delete[] HIDE(new (std::nothrow) char[7]);
    ::operator delete(HIDE(static_cast<char*>(::operator new(10))), std::size_t{10});
    ::operator delete[](HIDE(static_cast<char*>(::operator new[](10))), std::size_t{10});
    Wide* wide = HIDE(new Wide);
    if (reinterpret_cast<std::uintptr_t>(wide) % 64) return 1;
    delete wide;
    Wide* wides = HIDE(new Wide[3]);
    if (reinterpret_cast<std::uintptr_t>(wides) % 64) return 1;
    delete[] wides;
    delete HIDE(new (std::nothrow) Wide);
    void* p = ::operator new(100, std::align_val_t{512});
    if (reinterpret_cast<std::uintptr_t>(p) % 512) return 2;
    ::operator delete(p, std::size_t{100}, std::align_val_t{512});
}
