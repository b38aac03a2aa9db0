// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core's events on memory and registers that the kernel reads and writes, and on mappings that are made
// and removed.
#pragma once

namespace memspy::defects {

void register_system_call_events();

}  // namespace memspy::defects
