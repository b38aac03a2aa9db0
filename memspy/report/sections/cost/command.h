// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/command_line.h"

namespace memspy::report::cost {

extern const Command kCostCommand;  // memspy-report cost

}  // namespace memspy::report::cost
