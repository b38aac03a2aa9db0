// SPDX-License-Identifier: GPL-2.0-or-later
//
// The monitor's commands about defects, with Memcheck's names and syntax: leak_check, block_list,
// who_points_at, check_memory, get_vbits, xb.
#pragma once

#include <span>

#include "analyses/monitor_command.h"

namespace memspy::defects {

std::span<const MonitorCommand> monitor_commands();

}  // namespace memspy::defects
