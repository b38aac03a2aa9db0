// SPDX-License-Identifier: GPL-2.0-or-later
//
// Connects generated code to the log's writer (log/stations.h): the cursors in the shadows of registers, the
// site to which a full chunk leads, and the switch between translations that write the log and those that do
// not.
#pragma once

namespace memspy::instrument {

void register_log_source();  // call before the command line is read
void start_log_source();     // call when all consumers have been attached

}  // namespace memspy::instrument
