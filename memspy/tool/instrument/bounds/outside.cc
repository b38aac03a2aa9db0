// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/bounds/outside.h"

namespace memspy::instrument {

namespace {
void (*outside_hook)(const OutsideAccess&) = nullptr;
}

void check_bounds(void (*outside)(const OutsideAccess&)) { outside_hook = outside; }
bool checks_bounds() { return outside_hook != nullptr; }
void tell_outside(const OutsideAccess& access) { outside_hook(access); }

}  // namespace memspy::instrument
