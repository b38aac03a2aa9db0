// SPDX-License-Identifier: GPL-2.0-or-later
//
// Defects in memory and registers that are given to the kernel.
#pragma once

namespace memspy::defects {

void judge_system_calls();

}  // namespace memspy::defects
