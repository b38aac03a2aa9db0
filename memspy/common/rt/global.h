// SPDX-License-Identifier: GPL-2.0-or-later
//
// Global: a container at namespace scope. The tool runs no static constructors, and none of the destructors
// that a compiler would register for a global. Global has neither, because Vector and HashMap are empty if
// all their bytes are zero.
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
