// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/command_line.h"

namespace memspy::report::races {

extern const Command kRacesCommand;  // memspy-report races

}  // namespace memspy::report::races
