// SPDX-License-Identifier: GPL-2.0-or-later
//
// The constants of rules.def.
#pragma once

#include "lines/rules.h"

namespace memspy::sync {

using lines::kNever;
using lines::Time;

namespace rules {

#define RULE(type, name, value, reason, test) inline constexpr type name = value;
#include "sync/rules.def"
#undef RULE

}  // namespace rules

}  // namespace memspy::sync
