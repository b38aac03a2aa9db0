// SPDX-License-Identifier: GPL-2.0-or-later
//
// Words and times as the parts of Clocks see them.
#pragma once

#include "rt/base.h"

namespace memspy::order {

inline constexpr Address kWordBytes = 4;

inline Address word_of(Address a) { return a & ~(kWordBytes - 1); }

inline u64 later(u64 a, u64 b) { return a > b ? a : b; }

}  // namespace memspy::order
