// SPDX-License-Identifier: GPL-2.0-or-later
//
// The constants of rules.def.
#pragma once

#include "lines/rules.h"

namespace memspy::order::rules {

using lines::Time;

#define RULE(type, name, value, reason, test) inline constexpr type name = value;
#include "order/rules.def"
#undef RULE

}  // namespace memspy::order::rules
