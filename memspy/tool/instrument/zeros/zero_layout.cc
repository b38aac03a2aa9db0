// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/zero_layout.h"

namespace memspy::instrument {

u8* running_pieces[kMostPieces];
ContextCell* cells;

namespace {
ZeroHooks hooks;
}

void set_zero_hooks(const ZeroHooks& chosen) { hooks = chosen; }
const ZeroHooks& zero_hooks() { return hooks; }

}  // namespace memspy::instrument
