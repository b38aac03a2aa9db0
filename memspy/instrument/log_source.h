// SPDX-License-Identifier: GPL-2.0-or-later
//
// The log's writer (log/stations.h) as generated code is: cursors in the shadows of registers, the site that a
// full chunk leads to, and the switch between translations that write and those that do not.
#pragma once

namespace memspy::instrument {

void register_log_source();  // before the command line
void start_log_source();     // when all consumers have been attached

}  // namespace memspy::instrument
