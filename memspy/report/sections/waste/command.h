// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/command_line.h"

namespace memspy::report::waste {

extern const Command kWasteCommand;

}  // namespace memspy::report::waste
