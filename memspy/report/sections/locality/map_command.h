// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/command_line.h"

namespace memspy::report::locality {

extern const Command kMapCommand;  // memspy-report map

}  // namespace memspy::report::locality
