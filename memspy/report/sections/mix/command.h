// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/command_line.h"

namespace memspy::report::mix {

extern const Command kMixCommand;  // memspy-report mix

}  // namespace memspy::report::mix
