// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether bounds are checked, and who hears of accesses that are outside.
#pragma once

#include "places/bounds.h"

namespace memspy::instrument {

// An access outside of the variable that it belongs to.
struct OutsideAccess {
    Address address = 0, code = 0;
    u64 bytes = 0;
    bool stores = false;
    Address begin = 0;  // of the variable
    const places::VariableBounds* variable = nullptr;
};
// From now on translations check. Call before the program runs.
void check_bounds(void (*outside)(const OutsideAccess&));
bool checks_bounds();
void tell_outside(const OutsideAccess& access);

}  // namespace memspy::instrument
