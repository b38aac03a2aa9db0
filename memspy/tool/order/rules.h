// SPDX-License-Identifier: GPL-2.0-or-later
//
// The constants of rules.def.
#pragma once

#include "rt/base.h"

namespace memspy::order::rules {

using Time = u64;  // in instructions

#define RULE(type, name, value, reason, test) inline constexpr type name = value;
#include "order/rules.def"
#undef RULE

}  // namespace memspy::order::rules
