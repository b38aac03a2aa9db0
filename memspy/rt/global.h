// SPDX-License-Identifier: GPL-2.0-or-later
//
// Global: a container at namespace scope. The tool has no static constructors and runs none of the
// destructors that a compiler would register for a global; both vanish here, since Vector and HashMap are
// empty when all their bytes are zero.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

template <typename T>
class Global {
public:
    T& operator*() { return *reinterpret_cast<T*>(storage_); }
    T* operator->() { return reinterpret_cast<T*>(storage_); }

private:
    alignas(T) unsigned char storage_[sizeof(T)] = {};
};

}  // namespace memspy::rt
