// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/command_line.h"

namespace memspy::report::heap_profile {

extern const Command kHeapCommand;  // memspy-report heap

}  // namespace memspy::report::heap_profile
