// SPDX-License-Identifier: GPL-2.0-or-later
//
// The constants of rules.def.
#pragma once

#include "rt/base.h"

namespace memspy::lines {

using Time = u64;  // virtual: in instructions
inline constexpr Time kNever = ~Time{0};

namespace rules {

#define RULE(type, name, value, reason, test) inline constexpr type name = value;
#include "lines/rules.def"
#undef RULE

}  // namespace rules

}  // namespace memspy::lines
