// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands that memspy understands from gdb ("monitor …") and vgdb: those of the analyses, and status, dump and
// instrumentation, which concern all. Words can be cut short as long as they stay unique.
#pragma once

#include "rt/base.h"

namespace memspy {

// Carries out one command. False when it is none of memspy's, so that the core can say so.
bool handle_monitor_command(u32 thread, const char* command);

}  // namespace memspy
