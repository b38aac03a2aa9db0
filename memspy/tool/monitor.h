// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands that memspy understands from gdb ("monitor …") and vgdb: those of the analyses, and status,
// dump and instrumentation, which concern all. Words may be abbreviated as long as they are unique.
#pragma once

#include "rt/base.h"

namespace memspy {

// Carries out one command. Returns false if memspy has no such command, so that the core can report it.
bool handle_monitor_command(u32 thread, const char* command);

}  // namespace memspy
